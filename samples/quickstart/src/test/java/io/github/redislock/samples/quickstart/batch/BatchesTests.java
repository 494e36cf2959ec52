package io.github.redislock.samples.quickstart.batch;

import java.util.ArrayDeque;
import java.util.Queue;

import io.github.redislock.LocalLocks.Held;
import io.github.redislock.LockTarget;
import io.github.redislock.autoconfigure.test.AutoConfigureRedisLock;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.samples.quickstart.SimulatedWork;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

import static org.assertj.core.api.Assertions.assertThat;

@SpringBootTest(properties = { "spring.data.redis.port=1", "quickstart.work-time=0ms" })
@AutoConfigureRedisLock
class BatchesTests {

	private static final LockTarget LOCK = LockTarget.of("batch", "nightly");

	@Autowired
	private RedisLockTemplate locks;

	@Autowired
	private BatchItemRepository items;

	@Autowired
	private SimulatedWork work;

	@Test
	void requestingThreadHandsItsLockToTheWorker() {
		Queue<Runnable> tasks = new ArrayDeque<>();
		Batches batches = new Batches(this.locks, this.items, this.work, tasks::add, "shop-1");

		batches.start("nightly");

		assertThat(this.locks.isLocked(LOCK)).isTrue();
		assertThat(this.locks.local().held()).filteredOn((held) -> held.target().name().equals(LOCK.name()))
			.singleElement()
			.extracting(Held::thread)
			.isNull();
		assertThat(tasks).singleElement().satisfies(Runnable::run);
		assertThat(this.locks.isLocked(LOCK)).isFalse();
	}

}
