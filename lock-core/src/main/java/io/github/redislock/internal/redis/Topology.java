package io.github.redislock.internal.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import io.github.redislock.internal.support.Futures;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Refreshes the topology of a Cluster when a node does not reply.
 * <p>
 * Lettuce does this itself after a redirection or a broken connection, but not if a
 * connection is silent or cannot be opened. It would then keep using the old master.
 * Thread-safe.
 */
final class Topology {

	private static final Log logger = LogFactory.getLog(Topology.class);

	/**
	 * The pause between two refreshes. A failover takes seconds, so one refresh may not
	 * be enough.
	 */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final Supplier<CompletionStage<Void>> request;

	/** Guarded by this object's monitor, like the next field. */
	private boolean requesting;

	private long nextAt = System.nanoTime();

	/**
	 * Create a topology.
	 * @param request requests the current topology from the Cluster, and applies it
	 */
	Topology(Supplier<CompletionStage<Void>> request) {
		this.request = request;
	}

	/**
	 * Refresh the topology in the background, unless it was just refreshed.
	 */
	void refresh() {
		synchronized (this) {
			if (this.requesting || System.nanoTime() - this.nextAt < 0) {
				return;
			}
			this.requesting = true;
		}
		Futures.attempt(this.request).whenComplete((done, failure) -> replied(failure));
	}

	private void replied(@Nullable Throwable failure) {
		synchronized (this) {
			this.requesting = false;
			this.nextAt = System.nanoTime() + PAUSE_NANOS;
		}
		if (failure != null) {
			logger.debug("The topology of the Cluster could not be refreshed, trying again later", failure);
		}
	}

}
