/**
 * Run work on the leading instance only.
 */
@NullMarked
package io.github.redislock.samples.quickstart.price;

import org.jspecify.annotations.NullMarked;
