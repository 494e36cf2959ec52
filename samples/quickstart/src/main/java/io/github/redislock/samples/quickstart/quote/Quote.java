package io.github.redislock.samples.quickstart.quote;

import java.io.Serializable;
import java.time.Instant;

/**
 * A quote, and which instance loaded it when.
 */
record Quote(String symbol, String loadedBy, Instant loadedAt) implements Serializable {
}
