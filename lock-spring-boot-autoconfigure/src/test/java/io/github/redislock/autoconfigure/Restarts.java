package io.github.redislock.autoconfigure;

import java.io.IOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.FutureTask;
import java.util.function.Predicate;

import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

import org.springframework.context.ConfigurableApplicationContext;

/**
 * Starts and ends an application several times in one JVM, each time with a new class
 * loader for the application's own classes, as Spring Boot's development tools do, and
 * prints what is left. Must run with soft references that are cleared at once.
 */
final class Restarts {

	static final int TIMES = 4;

	private Restarts() {
	}

	public static void main(String[] arguments) throws Exception {
		List<WeakReference<ClassLoader>> loaders = new ArrayList<>();
		for (int time = 0; time < TIMES; time++) {
			loaders.add(restart(arguments[0]));
			System.out.println("ended");
			System.in.read();
		}
		// Spring itself keeps the first one reachable, through its logging and its
		// proxies.
		long left = loaders.stream().skip(1).filter(Restarts::stays).count();
		System.out.println("class loaders left: " + left);
		System.out.println("threads left: " + threads(
				(thread) -> thread.getName().startsWith("redis-lock") || thread.getName().startsWith("lettuce")));
		System.out.println("threads that remember an application: "
				+ threads((thread) -> thread.getContextClassLoader() instanceof ApplicationLoader));
		System.exit(0);
	}

	private static WeakReference<ClassLoader> restart(String port) throws Exception {
		URL classes = Restarts.class.getProtectionDomain().getCodeSource().getLocation();
		try (ApplicationLoader loader = new ApplicationLoader(classes)) {
			FutureTask<ConfigurableApplicationContext> start = new FutureTask<>(
					() -> (ConfigurableApplicationContext) loader.loadClass(RestartedApplication.class.getName())
						.getMethod("start", String.class)
						.invoke(null, port));
			Thread main = new Thread(start, "restarted-main");
			main.setContextClassLoader(loader);
			main.start();
			start.get().close();
			main.join();
			return new WeakReference<>(loader);
		}
	}

	private static List<String> threads(Predicate<Thread> which) {
		return Thread.getAllStackTraces().keySet().stream().filter(which).map(Thread::getName).sorted().toList();
	}

	private static boolean stays(WeakReference<ClassLoader> loader) {
		try {
			Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> {
				System.gc();
				return loader.get() == null;
			});
			return false;
		}
		catch (ConditionTimeoutException ex) {
			return true;
		}
	}

	/**
	 * Loads the application's classes itself, and delegates all others.
	 */
	private static final class ApplicationLoader extends URLClassLoader {

		ApplicationLoader(URL classes) throws IOException {
			super(new URL[] { classes }, Restarts.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith(RestartedApplication.class.getName())) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> loaded = findLoadedClass(name);
				return (loaded != null) ? loaded : findClass(name);
			}
		}

	}

}
