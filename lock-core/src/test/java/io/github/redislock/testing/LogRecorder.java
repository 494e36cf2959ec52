package io.github.redislock.testing;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import org.slf4j.LoggerFactory;

/**
 * Records what a class logs until the recorder is closed, and keeps it off the console.
 */
public final class LogRecorder implements AutoCloseable {

	private final Logger logger;

	private final Level usualLevel;

	private final ListAppender<ILoggingEvent> events = new ListAppender<>();

	private LogRecorder(Logger logger, Level level) {
		this.logger = logger;
		this.usualLevel = logger.getLevel();
		this.events.start();
		logger.setLevel(level);
		logger.setAdditive(false);
		logger.addAppender(this.events);
	}

	public static LogRecorder warningsOf(String logger) {
		return new LogRecorder((Logger) LoggerFactory.getLogger(logger), Level.WARN);
	}

	/**
	 * Record debug messages too.
	 */
	public static LogRecorder debugOf(String logger) {
		return new LogRecorder((Logger) LoggerFactory.getLogger(logger), Level.DEBUG);
	}

	/**
	 * Record everything.
	 */
	public static LogRecorder traceOf(String logger) {
		return new LogRecorder((Logger) LoggerFactory.getLogger(logger), Level.TRACE);
	}

	/**
	 * Return all messages so far, each with its level.
	 */
	public List<String> lines() {
		return new ArrayList<>(this.events.list).stream()
			.map((event) -> event.getLevel() + " " + event.getFormattedMessage())
			.toList();
	}

	/**
	 * Return all messages so far, each on a new line.
	 */
	public String text() {
		// A copy, because other threads may log.
		return new ArrayList<>(this.events.list).stream()
			.map(ILoggingEvent::getFormattedMessage)
			.collect(Collectors.joining("\n"));
	}

	@Override
	public void close() {
		this.logger.detachAppender(this.events);
		this.logger.setAdditive(true);
		this.logger.setLevel(this.usualLevel);
	}

}
