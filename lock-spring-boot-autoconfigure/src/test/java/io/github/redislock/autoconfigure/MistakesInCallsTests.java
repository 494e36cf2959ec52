package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.LockContext;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.testing.OwnThread;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.http.ResponseEntity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * Calls with wrong arguments, and what the caller is told.
 */
class MistakesInCallsTests {

	private static ConfigurableApplicationContext context;

	@BeforeAll
	static void start() {
		context = new SpringApplicationBuilder(FailureAnalysisTests.Application.class, Keyed.class)
			.web(WebApplicationType.NONE)
			.run("--redis-lock.store=in-memory", "--spring.main.banner-mode=off");
	}

	@AfterAll
	static void close() {
		context.close();
	}

	@ParameterizedTest(name = "{0}")
	@MethodSource
	void callIsRefused(String what, ThrowingCallable call, String message) {
		assertThatThrownBy(call).hasMessageContaining(message);

		assertThat(locks().local().held()).isEmpty();
	}

	static Stream<Arguments> callIsRefused() {
		Duration second = Duration.ofSeconds(1);
		return Stream.of(
				key("a list of lists", List.of(List.of(1)), "at index 0 is a java.util.ImmutableCollections$List12,"),
				key("a list with null", Arrays.asList(1, null), "key of lock 'k' at index 1 is null"),
				key("an empty array", new String[0], "has no elements, so nothing would be locked"),
				key("an Optional", Optional.of(1), "is a java.util.Optional, which may have no value: unwrap it"),
				key("a map", Map.of(1, 2), "for a map, write '.keySet()'"),
				key("two lines", "a\nb", "must not contain control characters but contains U+000A"),
				key("2000 characters", "x".repeat(2000), "must have at most 1024 bytes in UTF-8 but has 2002"),
				key("an object without toString", new Object(), "use a property of it"),
				key("a record with an array", new Version("a", new byte[1]), "whose 'hash' is a byte[]"),
				key("a record with a date", new Version("a", new Date(0)), "whose text depends on the time zone"),
				call("a path with null", () -> keyed().path(new Order(null)), "Attempted to call method id() on null"),
				call("by hand, an object without toString", () -> LockTarget.of("order", new Object()),
						"key of lock 'order' is a java.lang.Object, whose text has a hash code"),
				work("a future", CompletableFuture::new, "async()"), work("a stream", Stream::of, "toList()"),
				work("a response with a future", () -> ResponseEntity.ok(new CompletableFuture<>()), "async()"),
				call("the same lock on another thread",
						() -> locks().execute("a", () -> elsewhere(() -> locks().execute("a", () -> 1))),
						"Lock 'a' not acquired within 300ms: held by application@"),
				call("extend after close", () -> closed().extend(second), "was released: acquire it again"),
				handle("renew with a negative lease", (lock) -> () -> lock.renew(second.negated()), "but is -1s"),
				handle("extend by nothing", (lock) -> () -> lock.extend(Duration.ZERO), "at least 1ms but is 0ms"),
				call("a rare renewal",
						() -> locks().acquire(LockTarget.of("a"),
								LockOptions.options().renewEvery(Duration.ofSeconds(20))),
						"renewEvery (at least 100ms) must be at most 15s but is 20s"),
				call("no locks at once", LockTarget::allOf, "at least one lock must be given"),
				call("no context", LockContext::current, "No lock is held for the work of this thread"),
				call("the context on another thread",
						() -> locks().execute("a", () -> elsewhere(() -> LockContext.current().name())),
						"and not on another thread"));
	}

	private static LockOperations locks() {
		return context.getBean(LockOperations.class);
	}

	private static Keyed keyed() {
		return context.getBean(Keyed.class);
	}

	private static Arguments call(String what, ThrowingCallable call, String message) {
		return arguments(what, call, message);
	}

	private static Arguments key(String what, Object key, String message) {
		return call("as a key, " + what, () -> keyed().pay(key), message);
	}

	private static Arguments work(String what, Supplier<Object> result, String message) {
		return call("as a result, " + what, () -> locks().execute("a", result::get), message);
	}

	private static Arguments handle(String what, Function<LockHandle, Runnable> use, String message) {
		return call(what, () -> {
			try (LockHandle lock = locks().acquire(LockTarget.of("a"))) {
				use.apply(lock).run();
			}
		}, message);
	}

	private static LockHandle closed() {
		LockHandle lock = locks().acquire(LockTarget.of("a"));
		lock.close();
		return lock;
	}

	private static <T> T elsewhere(Supplier<T> work) {
		return CompletableFuture.supplyAsync(work, OwnThread::run).join();
	}

	record Version(String name, Object hash) {

	}

	record Order(@Nullable Order customer) {

		String id() {
			return "1";
		}

	}

	static class Keyed {

		@DistributedLock(name = "k", key = "#id")
		void pay(Object id) {
		}

		@DistributedLock(name = "k", key = "#order.customer.id()")
		void path(Order order) {
		}

	}

}
