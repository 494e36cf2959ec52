/**
 * Charge an order once. A second request during the payment is refused at once.
 */
@NullMarked
package io.github.redislock.samples.quickstart.payment;

import org.jspecify.annotations.NullMarked;
