/**
 * Results as JSON, as a table and as pictures.
 */
@NullMarked
package io.github.redislock.benchmarks.report;

import org.jspecify.annotations.NullMarked;
