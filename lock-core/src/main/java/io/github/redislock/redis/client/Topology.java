package io.github.redislock.redis.client;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks a Cluster again which node has what, when a node does not reply.
 * <p>
 * Lettuce does so by itself when a node says that it has not, or when a connection broke;
 * not if a connection goes silent or cannot be opened, and then it would ask the old
 * master forever. Thread-safe.
 */
final class Topology {

	private static final Log logger = LogFactory.getLog(Topology.class);

	/** A fail-over takes seconds, so what was learned may be old at once. */
	private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

	private final Supplier<CompletionStage<Void>> question;

	/** Guarded by this object's monitor, as what follows. */
	private boolean asking;

	private long nextAt = System.nanoTime();

	/**
	 * Create a topology that was not asked for yet.
	 * @param question how to ask, and to take over the reply
	 */
	Topology(Supplier<CompletionStage<Void>> question) {
		this.question = question;
	}

	/**
	 * Ask in the background, unless that was done a moment ago.
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
			logger.debug("Which node of the Cluster has what could not be learned, asked again later", failure);
		}
	}

}
