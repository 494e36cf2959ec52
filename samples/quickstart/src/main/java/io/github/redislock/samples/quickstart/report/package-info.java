/**
 * Generate a report once, by annotation and by hand.
 */
@NullMarked
package io.github.redislock.samples.quickstart.report;

import org.jspecify.annotations.NullMarked;
