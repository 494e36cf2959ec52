package io.github.redislock.annotation;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs in an application without Reactor, Kotlin or a Redis client.
 */
class WithoutReactorTests {

	@Test
	void methodsAreLockedWithoutReactor() throws Exception {
		URL[] urls = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((entry) -> Stream.of("reactor", "reactive", "rxjava", "kotlin", "lettuce", "netty", "jedis")
				.noneMatch(Path.of(entry).getFileName().toString()::contains))
			.map(WithoutReactorTests::url)
			.toArray(URL[]::new);
		try (URLClassLoader loader = new URLClassLoader(urls, ClassLoader.getPlatformClassLoader())) {
			Thread thread = Thread.currentThread();
			ClassLoader before = thread.getContextClassLoader();
			thread.setContextClassLoader(loader);
			try {
				Callable<?> application = (Callable<?>) loader.loadClass(Application.class.getName())
					.getDeclaredConstructor()
					.newInstance();
				assertThat(application.call()).isEqualTo("false blocking future");
			}
			finally {
				thread.setContextClassLoader(before);
			}
		}
	}

	private static URL url(String entry) {
		try {
			return Path.of(entry).toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new IllegalArgumentException(ex);
		}
	}

	/**
	 * Runs in a separate class loader.
	 */
	public static class Application implements Callable<String> {

		@Override
		public String call() throws Exception {
			boolean reactor = ClassUtils.isPresent("reactor.core.publisher.Mono", getClass().getClassLoader());
			try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Beans.class)) {
				Methods methods = context.getBean(Methods.class);
				return reactor + " " + methods.blocking() + " " + methods.future().get(20, TimeUnit.SECONDS);
			}
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Beans {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		Methods methods() {
			return new Methods();
		}

	}

	static class Methods {

		@DistributedLock
		String blocking() {
			return "blocking";
		}

		@DistributedLock
		CompletableFuture<String> future() {
			return CompletableFuture.completedFuture("future");
		}

	}

}
