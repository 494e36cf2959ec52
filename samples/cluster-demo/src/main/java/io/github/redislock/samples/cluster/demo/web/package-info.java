/**
 * The page.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.web;

import org.jspecify.annotations.NullMarked;
