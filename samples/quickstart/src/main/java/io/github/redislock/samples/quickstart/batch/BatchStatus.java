package io.github.redislock.samples.quickstart.batch;

/**
 * The progress of a batch.
 */
record BatchStatus(String batchId, String status, int processed, String message) {
}
