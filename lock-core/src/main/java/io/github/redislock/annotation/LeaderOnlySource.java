package io.github.redislock.annotation;

import java.lang.reflect.Method;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/**
 * Finds {@link LeaderOnly} on methods, on those that they override and on those of
 * interfaces that they implement.
 */
public final class LeaderOnlySource implements Function<Method, @Nullable String> {

	@Override
	public @Nullable String apply(Method method) {
		MergedAnnotation<LeaderOnly> annotation = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY)
			.get(LeaderOnly.class);
		return annotation.isPresent() ? annotation.getString("value") : null;
	}

}
