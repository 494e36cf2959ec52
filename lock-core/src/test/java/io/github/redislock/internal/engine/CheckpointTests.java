package io.github.redislock.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import org.awaitility.Awaitility;
import org.crac.Context;
import org.crac.Resource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * Tests what happens to locks when their process is checkpointed and restored as a copy.
 */
@NeedsRedisServer
class CheckpointTests {

	private final RedisProcess redis = RedisProcess.start();

	private final LockTemplate locks = new LockTemplate(
			RedisLockStore.create(this.redis.connectionFactory(), RedisLockStoreOptions.defaults()),
			LockConfiguration.defaults().instance("shop"));

	private final Image image = new Image();

	@AfterEach
	void stop() {
		this.locks.close();
		this.redis.close();
	}

	@Test
	void restoredCopyHasItsOwnConnectionsInboxAndName() throws Exception {
		this.image.register((Resource) this.locks.checkpoint());
		this.locks.acquire(LockTarget.of("order:42")).close();
		Awaitility.await("listens").until(() -> inboxes().size() == 2);
		List<String> before = inboxes();

		this.image.beforeCheckpoint(this.image);
		Awaitility.await("no connection but the one that asks").until(() -> connections() == 1);
		this.image.afterRestore(this.image);

		try (LockHandle lock = this.locks.acquire(LockTarget.of("order:42"))) {
			assertThat(lock.owner()).matches("shop~[A-Za-z0-9_-]{6}/[A-Za-z0-9_-]{22}");
			assertThat(this.locks.local().instance()).startsWith("shop~");
			assertThat(this.locks.inspect(LockTarget.of("order:42"))).isPresent();
		}
		Awaitility.await("listens").until(() -> inboxes().size() == 2);
		assertThat(inboxes()).isNotEqualTo(before);
	}

	@Test
	void checkpointIsRefusedWhileALockIsHeld() {
		this.image.register((Resource) this.locks.checkpoint());
		LockHandle lock = this.locks.acquire(LockTarget.of("order:42"));

		assertThatIllegalStateException().isThrownBy(() -> this.image.beforeCheckpoint(this.image))
			.withMessage("This process cannot be checkpointed while it holds or waits for locks: [order:42]");

		assertThat(lock.verify()).isTrue();
		lock.close();
	}

	@Test
	void failedCheckpointKeepsConnectionsInboxesAndName() throws Exception {
		this.image.register((Resource) this.locks.checkpoint());
		LockHandle lock = this.locks.acquire(LockTarget.of("order:42"));
		Awaitility.await("listens").until(() -> inboxes().size() == 2);
		List<String> before = inboxes();
		long connections = connections();
		assertThatIllegalStateException().isThrownBy(() -> this.image.beforeCheckpoint(this.image));

		// A JVM also does this after a failed checkpoint.
		this.image.afterRestore(this.image);

		lock.close();
		this.locks.acquire(LockTarget.of("order:43")).close();
		assertThat(this.locks.local().instance()).isEqualTo("shop");
		assertThat(connections()).isEqualTo(connections);
		assertThat(inboxes()).isEqualTo(before);
	}

	@Test
	void closedTemplateOpensNoConnectionsAfterARestore() throws Exception {
		this.image.register((Resource) this.locks.checkpoint());
		this.locks.close();
		Awaitility.await("no connection but the one that asks").until(() -> connections() == 1);

		this.image.beforeCheckpoint(this.image);
		this.image.afterRestore(this.image);

		assertThat(connections()).isEqualTo(1);
	}

	private long connections() {
		return String.valueOf(this.redis.command("CLIENT", "LIST")).lines().filter((line) -> !line.isBlank()).count();
	}

	private List<String> inboxes() {
		List<?> channels = (List<?>) this.redis.command("PUBSUB", "CHANNELS", "distributed_lock:inbox:*");
		return channels.stream().map(String::valueOf).sorted().toList();
	}

	/**
	 * Does what a JVM with checkpoints does with its resources.
	 */
	private static final class Image extends Context<Resource> {

		private final List<Resource> resources = new ArrayList<>();

		@Override
		public void register(Resource resource) {
			this.resources.add(resource);
		}

		@Override
		public void beforeCheckpoint(Context<? extends Resource> context) {
			this.resources.forEach((resource) -> call(() -> resource.beforeCheckpoint(this)));
		}

		@Override
		public void afterRestore(Context<? extends Resource> context) {
			this.resources.forEach((resource) -> call(() -> resource.afterRestore(this)));
		}

		private static void call(Hook hook) {
			try {
				hook.run();
			}
			catch (RuntimeException ex) {
				throw ex;
			}
			catch (Exception ex) {
				throw new AssertionError(ex);
			}
		}

	}

	private interface Hook {

		void run() throws Exception;

	}

}
