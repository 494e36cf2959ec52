package io.github.redislock.internal.interceptor;

import java.lang.reflect.Array;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The results of skipped calls.
 */
final class EmptyResults {

	private static final Map<Class<?>, Supplier<Object>> EMPTY = Map.ofEntries(
			Map.entry(Optional.class, Optional::empty), Map.entry(OptionalInt.class, OptionalInt::empty),
			Map.entry(OptionalLong.class, OptionalLong::empty), Map.entry(OptionalDouble.class, OptionalDouble::empty),
			Map.entry(Iterable.class, List::of), Map.entry(Collection.class, List::of), Map.entry(List.class, List::of),
			Map.entry(Set.class, Set::of), Map.entry(Map.class, Map::of), Map.entry(Stream.class, Stream::empty));

	private EmptyResults() {
	}

	/**
	 * Return an empty array, or the empty value of a type listed above, or {@code null}
	 * for other types.
	 */
	static @Nullable Object of(Class<?> type) {
		if (type.isArray()) {
			return Array.newInstance(type.getComponentType(), 0);
		}
		Supplier<Object> empty = EMPTY.get(type);
		return (empty != null) ? empty.get() : null;
	}

}
