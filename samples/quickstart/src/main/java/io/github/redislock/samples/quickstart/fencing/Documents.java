package io.github.redislock.samples.quickstart.fencing;

import java.util.Optional;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.redis.RedisLockTemplate;

import org.springframework.stereotype.Service;
import org.springframework.transaction.support.TransactionOperations;

/**
 * Writes documents with a fence against late writers.
 */
@Service
class Documents {

	/**
	 * The same thread plays both writers, so the second writer must not re-enter the lock
	 * of the first one.
	 */
	private static final LockOptions OPTIONS = LockOptions.options().retry(0).reentrant(false);

	private final RedisLockTemplate locks;

	private final JdbcFence fence;

	private final TransactionOperations transaction;

	private final DocumentRepository documents;

	Documents(RedisLockTemplate locks, JdbcFence fence, TransactionOperations transaction,
			DocumentRepository documents) {
		this.locks = locks;
		this.fence = fence;
		this.transaction = transaction;
		this.documents = documents;
	}

	/**
	 * Simulate a writer that is stopped until another writer has acquired the lock and
	 * written, and that then resumes.
	 * @throws io.github.redislock.fencing.StaleFencingTokenException because the fence
	 * refuses the first writer
	 */
	void writeTooLate(String name) {
		LockHandle first = this.locks.acquire(lock(name), OPTIONS);
		try {
			// This simulates a process that was stopped until its lease was over.
			this.locks.forceRelease(lock(name));
			try (LockHandle second = this.locks.acquire(lock(name), OPTIONS)) {
				write(name, "written by the second holder", second.fencingToken());
			}
			write(name, "written by the first holder, too late", first.fencingToken());
		}
		finally {
			first.release();
		}
	}

	Optional<Document> find(String name) {
		return this.documents.findByName(name);
	}

	private void write(String name, String content, long token) {
		this.transaction.executeWithoutResult((status) -> {
			this.fence.admit(lock(name).name(), token);
			Document present = find(name).orElseGet(() -> new Document(null, name, "", 0));
			this.documents.save(present.with(content, token));
		});
	}

	private static LockTarget lock(String name) {
		return LockTarget.of("document", name);
	}

}
