package io.github.redislock.samples.quickstart.batch;

/**
 * How far a batch has come.
 */
record BatchStatus(String batchId, String status, int processed, String message) {
}
