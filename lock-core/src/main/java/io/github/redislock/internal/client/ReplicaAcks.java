package io.github.redislock.internal.client;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.internal.support.Futures;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have received the writes of one connection. Thread-safe.
 * <p>
 * {@code WAIT} blocks its connection, so only one wait runs at a time. It serves all
 * requests that came before it began, so many locks can share one wait.
 */
final class ReplicaAcks {

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	private final Replication replication;

	/** The current wait. Guarded by this object's monitor. */
	private @Nullable CompletableFuture<Long> present;

	/**
	 * The wait that begins when the current one has ended. Guarded by this object's
	 * monitor.
	 */
	private @Nullable CompletableFuture<Long> next;

	ReplicaAcks(RedisClusterAsyncCommands<byte[], byte[]> commands, Replication replication) {
		this.commands = commands;
		this.replication = replication;
	}

	/**
	 * Return how many replicas have received everything written so far.
	 */
	CompletableFuture<Long> count() {
		CompletableFuture<Long> begun = new CompletableFuture<>();
		synchronized (this) {
			if (this.present != null) {
				this.next = (this.next != null) ? this.next : begun;
				return this.next;
			}
			this.present = begun;
		}
		send(begun);
		return begun;
	}

	private void send(CompletableFuture<Long> wait) {
		// The connection may be closed, and later requests must not wait forever.
		Futures
			.attempt(() -> this.commands.waitForReplication(this.replication.replicas(),
					this.replication.limit().toMillis()))
			.whenComplete((count, failure) -> {
				sendNext();
				Futures.complete(wait, count, failure);
			});
	}

	private void sendNext() {
		CompletableFuture<Long> following;
		synchronized (this) {
			following = this.next;
			this.present = following;
			this.next = null;
		}
		if (following != null) {
			send(following);
		}
	}

}
