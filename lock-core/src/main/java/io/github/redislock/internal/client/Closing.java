package io.github.redislock.internal.client;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Waits for a limited time until a component of the store has stopped.
 */
public final class Closing {

	private static final Log logger = LogFactory.getLog(Closing.class);

	static final long LIMIT_SECONDS = 2;

	private Closing() {
	}

	/**
	 * Wait up to 2 s for a stage to complete.
	 */
	public static void await(CompletionStage<?> end) {
		try {
			end.toCompletableFuture().get(LIMIT_SECONDS, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		catch (ExecutionException | TimeoutException ex) {
			logger.debug("A component did not stop in time", ex);
		}
	}

	/**
	 * Wait up to 2 s for the threads of an executor that was shut down to end.
	 */
	public static void await(ExecutorService executor) {
		try {
			if (!executor.awaitTermination(LIMIT_SECONDS, TimeUnit.SECONDS)) {
				logger.debug("Some threads did not stop in time");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

}
