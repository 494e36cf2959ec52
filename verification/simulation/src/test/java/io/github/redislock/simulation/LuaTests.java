package io.github.redislock.simulation;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.testing.TestRedis;
import org.jspecify.annotations.Nullable;
import org.junit.platform.engine.CancellationToken;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.engine.discovery.ClassNameFilter;
import org.junit.platform.engine.discovery.DiscoverySelectors;
import org.junit.platform.launcher.LauncherDiscoveryRequest;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherExecutionRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;

import org.springframework.dao.DataAccessException;

/**
 * Runs the tests of the scripts on changed scripts, in a process of its own. For each
 * change, it loads the classes of this project anew, because they read the scripts only
 * once.
 */
final class LuaTests implements AutoCloseable {

	/** The scripts alone first, then the store on a real Redis. */
	private static final String TESTS = ".*[.](Lua\\w*|RaiseScript|RedisLockStore|SharedLocksOnRedisStore)Tests";

	private static final String GREEN = "green";

	/** Redis does not reply after the tests, because a script does not end. */
	private static final String STUCK = "stuck";

	/** Far longer than all tests take. */
	private static final int LIMIT_IN_SECONDS = 300;

	private final Path folder;

	private @Nullable Process process;

	/**
	 * Create an instance.
	 * @param folder for changed scripts and the log
	 */
	LuaTests(Path folder) {
		this.folder = folder;
	}

	/**
	 * Return whether a test fails with a changed script or shared part.
	 * @throws IllegalStateException if the process of the tests ended or took too long
	 */
	boolean areRed(String file, String text) {
		String in = file.equals("raise") ? "quorum/" : "";
		Path changed = this.folder.resolve("io/github/redislock/redis/" + in + file + ".lua");
		String answer = null;
		try {
			Files.createDirectories(changed.getParent());
			Files.writeString(changed, text);
			Process running = running();
			running.outputWriter().append('\n').flush();
			answer = answer(running);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
		finally {
			if (answer == null || answer.equals(STUCK)) {
				close();
			}
			changed.toFile().delete();
		}
		if (answer == null) {
			throw new IllegalStateException("The tests gave no answer");
		}
		return !answer.equals(GREEN);
	}

	private Process running() throws IOException {
		Process present = this.process;
		if (present == null) {
			present = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
					"-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"), LuaTests.class.getName(),
					this.folder.toString())
				.redirectError(this.folder.resolve("tests.log").toFile())
				.start();
			this.process = present;
		}
		return present;
	}

	private static @Nullable String answer(Process process) {
		try {
			return CompletableFuture.supplyAsync(() -> {
				try {
					return process.inputReader().readLine();
				}
				catch (IOException ex) {
					throw new UncheckedIOException(ex);
				}
			}).get(LIMIT_IN_SECONDS, TimeUnit.SECONDS);
		}
		catch (TimeoutException ex) {
			return null;
		}
		catch (InterruptedException | ExecutionException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void close() {
		Process ended = this.process;
		if (ended != null) {
			// The Redis of the tests, too.
			ended.descendants().forEach(ProcessHandle::destroyForcibly);
			ended.destroyForcibly();
			this.process = null;
		}
	}

	/**
	 * Run the tests once for each line of the input, and print the result.
	 * @param arguments the folder of the changed script
	 */
	public static void main(String... arguments) throws IOException {
		PrintStream answers = System.out;
		System.setOut(System.err);
		URL[] path = Stream
			.concat(Stream.of(arguments), Stream.of(System.getProperty("java.class.path").split(File.pathSeparator)))
			.map(LuaTests::url)
			.toArray(URL[]::new);
		BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		while (lines.readLine() != null) {
			try (Anew loader = new Anew(path)) {
				answers.println(!areRed(loader) ? GREEN : isRedisStuck() ? STUCK : "red");
			}
		}
		System.exit(0);
	}

	private static boolean isRedisStuck() {
		try {
			TestRedis.shared().reset();
			return false;
		}
		catch (DataAccessException ex) {
			return true;
		}
	}

	private static URL url(String path) {
		try {
			return Path.of(path).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	private static boolean areRed(ClassLoader loader) {
		Thread.currentThread().setContextClassLoader(loader);
		LauncherDiscoveryRequest tests = LauncherDiscoveryRequestBuilder.request()
			.selectors(DiscoverySelectors.selectPackage("io.github.redislock.redis"))
			.filters(ClassNameFilter.includeClassNamePatterns(TESTS))
			.configurationParameter("junit.jupiter.execution.timeout.default", "20 s")
			.configurationParameter("junit.jupiter.testclass.order.default",
					"org.junit.jupiter.api.ClassOrderer$ClassName")
			.build();
		CancellationToken rest = CancellationToken.create();
		SummaryGeneratingListener summary = new SummaryGeneratingListener();
		LauncherFactory.create()
			.execute(LauncherExecutionRequestBuilder.request(tests)
				.listeners(summary, new FirstFailure(rest))
				.cancellationToken(rest)
				.build());
		if (summary.getSummary().getTestsSucceededCount() + summary.getSummary().getTotalFailureCount() == 0) {
			throw new IllegalStateException("No test ran");
		}
		summary.getSummary().printFailuresTo(new PrintWriter(System.err, true));
		return summary.getSummary().getTotalFailureCount() > 0;
	}

	/**
	 * Loads the classes and scripts of this project, but the Redis of the tests is
	 * shared.
	 */
	private static final class Anew extends URLClassLoader {

		private static final Set<String> SHARED = Stream
			.of("TestRedis", "RedisProcess", "RedisProgram", "Ports", "LettuceClients")
			.map("io.github.redislock.testing."::concat)
			.collect(Collectors.toSet());

		Anew(URL[] path) {
			super(path, LuaTests.class.getClassLoader());
		}

		@Override
		protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
			if (!name.startsWith("io.github.redislock.") || SHARED.contains(name.replaceAll("\\$.*", ""))) {
				return super.loadClass(name, resolve);
			}
			synchronized (getClassLoadingLock(name)) {
				Class<?> present = findLoadedClass(name);
				return (present != null) ? present : findClass(name);
			}
		}

		@Override
		public @Nullable URL getResource(String name) {
			URL found = findResource(name);
			return (found != null) ? found : super.getResource(name);
		}

	}

	/**
	 * Cancels the rest of the tests when one has failed.
	 */
	private record FirstFailure(CancellationToken rest) implements TestExecutionListener {

		@Override
		public void executionFinished(TestIdentifier test, TestExecutionResult result) {
			if (result.getStatus() == TestExecutionResult.Status.FAILED) {
				this.rest.cancel();
			}
		}

	}

}
