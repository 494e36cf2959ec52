/**
 * The web page that shows what the workers do.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.web;

import org.jspecify.annotations.NullMarked;
