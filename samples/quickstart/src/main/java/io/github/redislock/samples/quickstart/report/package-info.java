/**
 * Generate a report once, with the annotation and with the template.
 */
@NullMarked
package io.github.redislock.samples.quickstart.report;

import org.jspecify.annotations.NullMarked;
