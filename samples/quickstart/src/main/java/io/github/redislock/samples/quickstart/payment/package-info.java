/**
 * Charge an order once: who comes while it is being paid is refused at once.
 */
@NullMarked
package io.github.redislock.samples.quickstart.payment;

import org.jspecify.annotations.NullMarked;
