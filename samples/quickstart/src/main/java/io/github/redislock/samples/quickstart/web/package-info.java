/**
 * Reply with the HTTP status that fits what happened to a lock.
 */
@NullMarked
package io.github.redislock.samples.quickstart.web;

import org.jspecify.annotations.NullMarked;
