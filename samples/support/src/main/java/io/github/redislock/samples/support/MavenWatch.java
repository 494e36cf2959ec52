package io.github.redislock.samples.support;

import java.nio.file.Path;
import java.time.Duration;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Ends this JVM, as Ctrl-C does, when the Maven process that started it has ended, even
 * by {@code kill -9}.
 */
class MavenWatch {

	private static final Log logger = LogFactory.getLog(MavenWatch.class);

	private static final Duration INTERVAL = Duration.ofSeconds(1);

	MavenWatch(boolean startedByMaven) {
		if (!startedByMaven) {
			return;
		}
		Thread thread = new Thread(this::run, "maven-watch");
		thread.setDaemon(true);
		thread.start();
	}

	private void run() {
		try {
			while (isChildOfJava()) {
				Thread.sleep(INTERVAL.toMillis());
			}
			logger.info("Maven has ended, so this sample ends too");
			System.exit(0);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	/**
	 * Return whether the parent process is Java. If that parent ends, this process gets
	 * another parent, which is usually not Java.
	 */
	private static boolean isChildOfJava() {
		return ProcessHandle.current()
			.parent()
			.flatMap((parent) -> parent.info().command())
			.map((command) -> Path.of(command).getFileName().toString())
			.filter((program) -> program.startsWith("java"))
			.isPresent();
	}

}
