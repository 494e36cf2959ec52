package io.github.redislock.annotation;

import java.util.Map;
import java.util.function.Consumer;

import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.MapPropertySource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * A started application with annotated beans.
 */
final class LockedContext implements AutoCloseable {

	private final AnnotationConfigApplicationContext context;

	private LockedContext(AnnotationConfigApplicationContext context) {
		this.context = context;
	}

	static LockedContext of(Class<?>... beans) {
		return of(Map.of(), (context) -> context.register(beans));
	}

	static LockedContext of(Map<String, Object> properties, Consumer<AnnotationConfigApplicationContext> beans) {
		AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
		context.getEnvironment().getPropertySources().addFirst(new MapPropertySource("test", properties));
		context.register(Enabled.class);
		beans.accept(context);
		try {
			context.refresh();
			return new LockedContext(context);
		}
		catch (RuntimeException ex) {
			context.close();
			throw ex;
		}
	}

	/**
	 * Return why an application with these beans does not start.
	 */
	static InvalidLockedMethodException failureOf(Consumer<AnnotationConfigApplicationContext> beans) {
		Throwable failure = catchThrowable(() -> of(Map.of(), beans).close());
		while (failure != null && !(failure instanceof InvalidLockedMethodException)) {
			failure = failure.getCause();
		}
		assertThat(failure).as("start").isNotNull();
		return (InvalidLockedMethodException) failure;
	}

	RecordingLocks locks() {
		return get(RecordingLocks.class);
	}

	<T> T get(Class<T> type) {
		return this.context.getBean(type);
	}

	Object get(String name) {
		return this.context.getBean(name);
	}

	@Override
	public void close() {
		this.context.close();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Enabled {

		@Bean
		RecordingLocks locks() {
			return new RecordingLocks();
		}

	}

}
