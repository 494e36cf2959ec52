package io.github.redislock.internal.support;

import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * A kind of result that lets work go on after its method has returned, when the lock is
 * no longer held.
 *
 * @param reason why no lock protects such work, as the end of a sentence
 * @param remedy what to do instead, as sentences
 * @param types the names of types, some of which may be missing from the class path
 */
public record LateWork(String reason, String remedy, Set<String> types) {

	/** Work that has begun, or that Spring begins. */
	public static final LateWork CONTINUES = new LateWork("whose work continues after the lock is released",
			"Return its value, or lock the method that does the work. Locked methods, async() and"
					+ " ReactiveLockOperations hold the lock until a CompletableFuture, a Mono or a Flux of it ends.",
			Set.of("java.util.concurrent.Future", "java.util.concurrent.CompletionStage",
					"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher",
					"io.reactivex.rxjava3.core.CompletableSource", "io.reactivex.rxjava3.core.MaybeSource",
					"io.reactivex.rxjava3.core.ObservableSource", "io.reactivex.rxjava3.core.SingleSource",
					"io.smallrye.mutiny.Uni", "kotlinx.coroutines.Job", "kotlinx.coroutines.flow.Flow",
					"org.springframework.web.context.request.async.DeferredResult",
					"org.springframework.web.context.request.async.WebAsyncTask",
					"org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter",
					"org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody"));

	/**
	 * A function without parameters. Other types that extend these are ordinary ones,
	 * such as a page of Spring Data, which is a {@code Supplier}.
	 */
	public static final LateWork IS_CALLED = new LateWork("which is called after the lock is released",
			"Call it under the lock and return its result.", Set.of("java.util.function.Supplier",
					"java.util.concurrent.Callable", "java.lang.Runnable", "kotlin.jvm.functions.Function0"));

	/** Values that are computed or loaded while they are read. */
	public static final LateWork IS_READ = new LateWork("which is read after the lock is released",
			"Read it under the lock and return the values, for example with toList().",
			Set.of("java.util.stream.BaseStream", "java.util.Iterator", "java.util.Spliterator",
					"kotlin.sequences.Sequence", "org.springframework.core.io.InputStreamResource"));

	/** Cached, because otherwise each call would search the class hierarchy. */
	private static final ClassValue<Optional<LateWork>> KINDS = new ClassValue<>() {

		@Override
		protected Optional<LateWork> computeValue(Class<?> type) {
			boolean lambda = (type.isHidden() || type.isAnonymousClass())
					&& Stream.of(type.getInterfaces()).map(Class::getName).anyMatch(IS_CALLED.types::contains);
			return lambda ? Optional.of(IS_CALLED) : of(type);
		}

	};

	/** How to get the content of a result that contains other values. */
	private static final Map<String, Function<Object, Collection<?>>> CONTENTS = Map.of("java.util.Collection",
			(result) -> (Collection<?>) result, "java.util.Map", (result) -> ((Map<?, ?>) result).values(),
			"java.util.Optional", (result) -> ((Optional<?>) result).stream().toList(),
			"org.springframework.http.HttpEntity", LateWork::body);

	private static final ClassValue<Function<Object, Collection<?>>> CONTENT = new ClassValue<>() {

		@Override
		protected Function<Object, Collection<?>> computeValue(Class<?> type) {
			if (Object[].class.isAssignableFrom(type)) {
				return (result) -> Arrays.asList((Object[]) result);
			}
			// Other collections, which may be behind a wrapper, could load their
			// elements.
			boolean ofTheJdk = type.getClassLoader() == null && type.getEnclosingClass() != Collections.class;
			return CONTENTS.entrySet()
				.stream()
				.filter((each) -> isA(type, each.getKey()::equals) && ofTheJdk == each.getKey().startsWith("java."))
				.map(Map.Entry::getValue)
				.findFirst()
				.orElse((result) -> List.of());
		}

	};

	/**
	 * Return the kind of a declared type, or nothing for an ordinary type.
	 */
	public static Optional<LateWork> of(Class<?> type) {
		return IS_CALLED.types.contains(type.getName()) ? Optional.of(IS_CALLED)
				: Stream.of(CONTINUES, IS_READ).filter((kind) -> isA(type, kind.types::contains)).findFirst();
	}

	/**
	 * Return the result of work, unless work goes on with it. For a result that contains
	 * other values, the first one decides.
	 * @param lock the lock of the work
	 * @throws IllegalStateException if work goes on
	 */
	public static <T extends @Nullable Object> T requireNone(Object lock, T result) {
		isLate(lock, result, "");
		return result;
	}

	/**
	 * Return whether a value is work that has ended, so that the next one decides.
	 */
	private static boolean isLate(Object lock, @Nullable Object value, String inside) {
		if (value == null) {
			return false;
		}
		Class<?> type = value.getClass();
		LateWork kind = KINDS.get(type).orElse(null);
		// A list of functions is a value.
		if (kind == null || (kind.equals(IS_CALLED) && !inside.isEmpty())) {
			Collection<?> content = CONTENT.get(type).apply(value);
			return !content.isEmpty()
					&& content.stream().allMatch((each) -> isLate(lock, each, inside + type.getName() + " with "));
		}
		if (!isDone(value)) {
			throw new IllegalStateException("Lock '%s' does not protect all of its work, which returned %s, %s. %s"
				.formatted(lock, inside + type.getName(), kind.reason, kind.remedy));
		}
		return true;
	}

	private static boolean isDone(Object value) {
		// A minimal stage is a future that does not report its state.
		Object future = (value instanceof CompletableFuture<?> stage) ? stage.toCompletableFuture() : value;
		return future instanceof Future<?> ended && ended.isDone();
	}

	private static Collection<?> body(Object entity) {
		try {
			return Collections.singleton(entity.getClass().getMethod("getBody").invoke(entity));
		}
		catch (ReflectiveOperationException ex) {
			return List.of();
		}
	}

	private static boolean isA(@Nullable Class<?> type, Predicate<String> name) {
		return type != null && (name.test(type.getName()) || isA(type.getSuperclass(), name)
				|| Stream.of(type.getInterfaces()).anyMatch((each) -> isA(each, name)));
	}

}
