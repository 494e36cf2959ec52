package io.github.redislock.simulation;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import org.jspecify.annotations.Nullable;

/**
 * Reports each error in the log as a broken promise. No action or listener of the
 * simulation fails, so the library has no reason to log an error.
 */
public final class LoggedErrors extends AppenderBase<ILoggingEvent> {

	private static @Nullable World present;

	static void of(@Nullable World world) {
		present = world;
	}

	@Override
	protected void append(ILoggingEvent event) {
		World world = present;
		if (world != null) {
			String cause = (event.getThrowableProxy() != null)
					? event.getThrowableProxy().getClassName() + ": " + event.getThrowableProxy().getMessage() : "";
			world.broken(new Violation("NoErrorLogged", event.getFormattedMessage() + " " + cause));
		}
	}

}
