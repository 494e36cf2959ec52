/**
 * Run a task on one instance only, on demand and on a schedule.
 */
@NullMarked
package io.github.redislock.samples.quickstart.task;

import org.jspecify.annotations.NullMarked;
