package io.github.redislock.redis.quorum;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.store.AcquireReply;
import io.github.redislock.store.AcquireRequest;
import io.github.redislock.store.LockStore;
import io.github.redislock.testing.Effort;
import io.github.redislock.testing.Interleavings;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Validate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * However the replies of three servers interleave, a {@link QuorumAcquisition} counts
 * each vote once, and a majority of the servers stores the fencing token that it returns.
 */
@Tag("interleaving")
@Tag("promise-quorum")
@Timeout(value = 10, unit = TimeUnit.MINUTES)
public class QuorumAcquisitionInterleavingTests {

	private static final LockTarget TARGET = LockTarget.of("order:42");

	private static final LockStore UNUSED = new InMemoryLockStore(new ManualLockTimer());

	private static final ScheduledExecutorService NO_PAUSES = new ScheduledThreadPoolExecutor(1);

	private final List<Server> servers = Stream.of(1, 2, 3).map(Server::new).toList();

	private final AtomicInteger next = new AtomicInteger();

	private final CompletableFuture<AcquireReply> reply = ask();

	/** Let the next server reply. */
	@Operation
	public void reply() {
		int number = this.next.getAndIncrement();
		if (number < this.servers.size()) {
			this.servers.get(number).reply();
		}
	}

	@Validate
	public void majorityKnowsTheToken() {
		while (this.servers.stream().filter(Server::reply).count() > 0) {
			continue;
		}
		long token = (this.reply.getNow(null) instanceof AcquireReply.Granted granted) ? granted.fencingToken() : -1;
		long informed = this.servers.stream().filter((server) -> server.token >= token).count();
		boolean askedAgain = this.servers.stream().anyMatch((server) -> server.raises.get() > 1);
		if (token < 0 || informed < 2 || askedAgain) {
			throw new IllegalStateException(
					"%s, but the servers are %s".formatted(this.reply.getNow(null), this.servers));
		}
	}

	@Test
	void concurrentRepliesAgreeOnTheToken() {
		Interleavings.check(QuorumAcquisitionInterleavingTests.class, Effort.of(1, 3), Effort.of(20, 200));
	}

	private CompletableFuture<AcquireReply> ask() {
		List<QuorumNode> nodes = this.servers.stream()
			.map((server) -> new QuorumNode("server", server, server::raise))
			.toList();
		QuorumPauses pauses = new QuorumPauses(NO_PAUSES, () -> 0, () -> 0);
		return new QuorumAcquisition(new Quorum(nodes, Duration.ZERO), pauses, new QuorumLeftovers(nodes, pauses),
				new AcquireRequest(TARGET, "me/1", "1", Duration.ofSeconds(30)), 0, null)
			.ask(() -> {
			});
	}

	/**
	 * A server that grants the lock when the test lets it reply.
	 */
	private static final class Server extends CountingStore {

		private final ConcurrentLinkedQueue<Runnable> replies = new ConcurrentLinkedQueue<>();

		private final AtomicInteger raises = new AtomicInteger();

		private volatile long token;

		Server(long token) {
			super(UNUSED);
			this.token = token;
		}

		boolean reply() {
			Runnable next = this.replies.poll();
			if (next != null) {
				next.run();
			}
			return next != null;
		}

		@Override
		public CompletionStage<AcquireReply> acquire(AcquireRequest request) {
			return later(() -> new AcquireReply.Granted(this.token));
		}

		CompletionStage<Boolean> raise(AcquireRequest granted, String requestId, long token, long seen) {
			this.raises.incrementAndGet();
			return later(() -> {
				this.token = token;
				return true;
			});
		}

		private <T> CompletionStage<T> later(Supplier<T> reply) {
			CompletableFuture<T> later = new CompletableFuture<>();
			this.replies.add(() -> later.complete(reply.get()));
			return later;
		}

		@Override
		public String toString() {
			return "at token %d, raised %d times".formatted(this.token, this.raises.get());
		}

	}

}
