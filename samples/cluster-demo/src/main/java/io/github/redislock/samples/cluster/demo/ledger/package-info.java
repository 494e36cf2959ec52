/**
 * The resource that the lock protects.
 */
@NullMarked
package io.github.redislock.samples.cluster.demo.ledger;

import org.jspecify.annotations.NullMarked;
