package io.github.redislock.internal.redis;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

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

	private final Supplier<CompletionStage<Void>> question;

	/** Guarded by this object's monitor, like the next field. */
	private boolean asking;

	private long nextAt = System.nanoTime();

	/**
	 * Create a topology.
	 * @param question asks the Cluster for its current topology, and applies it
	 */
	Topology(Supplier<CompletionStage<Void>> question) {
		this.question = question;
	}

	/**
	 * Refresh the topology in the background, unless it was just refreshed.
	 */
	void refresh() {
		synchronized (this) {
			if (this.asking || System.nanoTime() - this.nextAt < 0) {
				return;
			}
			this.asking = true;
		}
		try {
			this.question.get().whenComplete((done, failure) -> asked(failure));
		}
		catch (RuntimeException ex) {
			asked(ex);
		}
	}

	private void asked(@Nullable Throwable failure) {
		synchronized (this) {
			this.asking = false;
			this.nextAt = System.nanoTime() + PAUSE_NANOS;
		}
		if (failure != null) {
			logger.debug("The topology of the Cluster could not be refreshed, trying again later", failure);
		}
	}

}
