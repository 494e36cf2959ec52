package io.github.redislock.internal.client;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.lettuce.core.RedisException;
import io.lettuce.core.cluster.PipelinedRedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ReplicaAcksTests {

	/** The waits that were sent. */
	private final List<CompletableFuture<Long>> sent = new ArrayList<>();

	private boolean broken;

	private final ReplicaAcks acks = new ReplicaAcks(commands(), new Replication(2, Duration.ofMillis(50)));

	/**
	 * A request that came during a wait may have been written after it began.
	 */
	@Test
	void requestsDuringAWaitShareTheNextOne() {
		CompletableFuture<Long> first = this.acks.count();
		CompletableFuture<Long> second = this.acks.count();
		CompletableFuture<Long> third = this.acks.count();
		assertThat(this.sent).hasSize(1);

		this.sent.get(0).complete(1L);

		assertThat(first).isCompletedWithValue(1L);
		assertThat(second).isNotDone();
		assertThat(this.sent).hasSize(2);
		this.sent.get(1).complete(2L);
		assertThat(second).isCompletedWithValue(2L);
		assertThat(third).isCompletedWithValue(2L);
		assertThat(this.sent).hasSize(2);
	}

	@Test
	void waitsGoOnAfterAFailure() {
		CompletableFuture<Long> first = this.acks.count();
		CompletableFuture<Long> second = this.acks.count();
		this.broken = true;

		this.sent.get(0).completeExceptionally(new RedisException("broke"));

		assertThat(first).isCompletedExceptionally();
		assertThat(second).isCompletedExceptionally();
		this.broken = false;
		CompletableFuture<Long> third = this.acks.count();
		this.sent.get(1).complete(2L);
		assertThat(third).isCompletedWithValue(2L);
	}

	@SuppressWarnings("unchecked")
	private RedisClusterAsyncCommands<byte[], byte[]> commands() {
		return (RedisClusterAsyncCommands<byte[], byte[]>) Proxy.newProxyInstance(getClass().getClassLoader(),
				new Class<?>[] { RedisClusterAsyncCommands.class }, (proxy, method, arguments) -> {
					assertThat(method.getName()).isEqualTo("waitForReplication");
					assertThat(arguments).containsExactly(2, 50L);
					if (this.broken) {
						throw new RedisException("closed");
					}
					CompletableFuture<Long> wait = new CompletableFuture<>();
					this.sent.add(wait);
					return new PipelinedRedisFuture<>(wait);
				});
	}

}
