package io.github.redislock.samples.quickstart.batch;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.samples.quickstart.SimulatedWork;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.core.task.TaskRejectedException;
import org.springframework.stereotype.Service;

/**
 * Processes batches in the background. The calling thread acquires the lock, and the
 * worker releases it.
 */
@Service
class Batches {

	private static final int ITEMS = 5;

	/**
	 * The lock is renewed while the batch is processed, so the lease determines how soon
	 * another instance may take over after a crash. The lock is not re-entrant, so that
	 * the calling thread cannot start the same batch twice.
	 */
	private static final LockOptions OPTIONS = LockOptions.options()
		.timeout(Duration.ofSeconds(30))
		.retry(0)
		.reentrant(false);

	private final RedisLockTemplate locks;

	private final BatchItemRepository items;

	private final SimulatedWork work;

	private final Executor executor;

	private final String instance;

	Batches(RedisLockTemplate locks, BatchItemRepository items, SimulatedWork work, Executor applicationTaskExecutor,
			@Value("${quickstart.instance}") String instance) {
		this.locks = locks;
		this.items = items;
		this.work = work;
		this.executor = applicationTaskExecutor;
		this.instance = instance;
	}

	BatchStatus start(String batchId) {
		LockHandle lock = this.locks.tryAcquire(lock(batchId), OPTIONS);
		if (lock == null) {
			return status(batchId, "already processing", "Another caller is processing the batch");
		}
		if (processed(batchId) == ITEMS) {
			lock.release();
			return status(batchId, "done", "All items have already been processed");
		}
		// From now on, the lock does not depend on this thread.
		lock.detach();
		try {
			this.executor.execute(() -> process(batchId, lock));
		}
		catch (TaskRejectedException ex) {
			lock.release();
			throw ex;
		}
		return status(batchId, "processing", "GET /batches/%s shows the progress".formatted(batchId));
	}

	BatchStatus find(String batchId) {
		if (this.locks.isLocked(lock(batchId))) {
			return status(batchId, "processing", "The batch is being processed");
		}
		if (processed(batchId) == ITEMS) {
			return status(batchId, "done", "All items are processed");
		}
		return status(batchId, "not running", "POST /batches/%s starts or continues it".formatted(batchId));
	}

	/**
	 * Process the remaining items. These are all items of a new batch, or the rest of a
	 * batch that was interrupted.
	 */
	private void process(String batchId, LockHandle lock) {
		try {
			for (int item = processed(batchId) + 1; item <= ITEMS; item++) {
				this.work.run();
				if (!lock.isHeld()) {
					// The lock was lost, for example because this process was paused for
					// longer than the lease.
					return;
				}
				this.items.save(new BatchItem(null, batchId, item, this.instance, Instant.now()));
			}
		}
		finally {
			lock.release();
		}
	}

	private BatchStatus status(String batchId, String status, String message) {
		return new BatchStatus(batchId, status, processed(batchId), message);
	}

	private int processed(String batchId) {
		return this.items.countByBatchId(batchId);
	}

	private static LockTarget lock(String batchId) {
		return LockTarget.of("batch", batchId);
	}

}
