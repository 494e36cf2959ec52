package io.github.redislock.redis.client;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import org.jspecify.annotations.Nullable;

/**
 * Waits until replicas have one connection's writes. Thread-safe.
 * <p>
 * A waiting connection is blocked, so one wait at a time serves all requests that came
 * before it began: many unacknowledged locks cost one wait and not many in a row.
 */
final class ReplicaAcks {

	private final RedisClusterAsyncCommands<byte[], byte[]> commands;

	private final Replication replication;

	/** The wait under way. Guarded, like what follows, by this object's monitor. */
	private @Nullable CompletableFuture<Long> present;

	/** The wait that begins when that one has ended. */
	private @Nullable CompletableFuture<Long> next;

	ReplicaAcks(RedisClusterAsyncCommands<byte[], byte[]> commands, Replication replication) {
		this.commands = commands;
		this.replication = replication;
	}

	/**
	 * Return how many replicas have everything written so far.
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
		ask().whenComplete((count, failure) -> {
			sendNext();
			if (failure != null) {
				wait.completeExceptionally(failure);
			}
			else {
				wait.complete(count);
			}
		});
	}

	private CompletionStage<Long> ask() {
		try {
			return this.commands.waitForReplication(this.replication.replicas(), this.replication.limit().toMillis());
		}
		catch (RuntimeException ex) {
			// The connection may be closed: later requests must not wait forever.
			return CompletableFuture.failedFuture(ex);
		}
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
