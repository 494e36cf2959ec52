/**
 * Fences that refuse a write if one with a greater fencing token was admitted before.
 */
@NullMarked
package io.github.redislock.fencing;

import org.jspecify.annotations.NullMarked;
