/**
 * Generate a report once, with the annotation and by hand.
 */
@NullMarked
package io.github.redislock.samples.quickstart.report;

import org.jspecify.annotations.NullMarked;
