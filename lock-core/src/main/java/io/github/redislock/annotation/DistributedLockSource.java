package io.github.redislock.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockOptions;
import io.github.redislock.OnLost;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionSource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/**
 * Finds {@link DistributedLock} and {@link LeaderOnly} on a method, or on a method that
 * it overrides or implements, and {@code DistributedLock} on types.
 */
public final class DistributedLockSource implements LockDefinitionSource {

	@Override
	public boolean isCandidate(Class<?> type) {
		return AnnotationUtils.isCandidateClass(type, List.of(DistributedLock.class, LeaderOnly.class));
	}

	@Override
	public @Nullable LockDefinition find(Method method) {
		MergedAnnotation<DistributedLock> annotation = onMethod(method, DistributedLock.class);
		if (!annotation.isPresent()) {
			return null;
		}
		Method declaredOn = (annotation.getSource() instanceof Method source) ? source : method;
		return definition(declaredOn, null, annotation);
	}

	@Override
	public @Nullable LockDefinition findOnType(Class<?> type, Method method) {
		if (ContainerCallbacks.isCallback(method)) {
			return null;
		}
		// On an interface, the annotation applies only to the interface's methods. On a
		// class, it applies to subclasses as well.
		MergedAnnotation<DistributedLock> annotation = MergedAnnotations
			.from(type, type.isInterface() ? SearchStrategy.DIRECT : SearchStrategy.SUPERCLASS)
			.get(DistributedLock.class);
		if (!annotation.isPresent()) {
			return null;
		}
		Class<?> declaredOnType = (annotation.getSource() instanceof Class<?> source) ? source : type;
		return definition(method, declaredOnType, annotation);
	}

	@Override
	public @Nullable String findRole(Method method) {
		return onMethod(method, LeaderOnly.class).getValue("value", String.class).orElse(null);
	}

	private static <A extends Annotation> MergedAnnotation<A> onMethod(Method method, Class<A> type) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(type);
	}

	private static LockDefinition definition(Method declaredOn, @Nullable Class<?> declaredOnType,
			MergedAnnotation<DistributedLock> annotation) {
		DistributedLock lock = annotation.synthesize();
		return new LockDefinition(declaredOn, declaredOnType, lock.name(), lock.key(), lock.mode(), lock.permits(),
				numbers(lock), durations(lock), options(lock), lock.ifLocked() == IfLocked.SKIP, lock.fallback(),
				lock.template(), attributeWithoutAlias(annotation.getMetaSource()));
	}

	/**
	 * Return an attribute of a meta-annotation, or of one that has it, that is named like
	 * one of {@link DistributedLock} but sets none.
	 */
	private static @Nullable Method attributeWithoutAlias(@Nullable MergedAnnotation<?> annotation) {
		return (annotation != null) ? Arrays.stream(annotation.getType().getDeclaredMethods())
			.filter((each) -> ClassUtils.hasMethod(DistributedLock.class, each.getName())
					&& !each.isAnnotationPresent(AliasFor.class))
			.findFirst()
			.orElseGet(() -> attributeWithoutAlias(annotation.getMetaSource())) : null;
	}

	private static Map<String, Integer> numbers(DistributedLock lock) {
		return Map.of("retry", lock.retry(), "maxWaiters", lock.maxWaiters());
	}

	private static Map<String, String> durations(DistributedLock lock) {
		return Map.of("timeout", lock.timeout(), "retryDelay", lock.retryDelay(), "waitTime", lock.waitTime(),
				"maxHold", lock.maxHold(), "atLeastFor", lock.atLeastFor());
	}

	/**
	 * Return the options that are neither text nor numbers.
	 */
	private static LockOptions options(DistributedLock lock) {
		LockOptions options = LockOptions.options();
		for (boolean autoRenew : lock.autoRenew()) {
			options = options.autoRenew(autoRenew);
		}
		for (OnLost onLost : lock.onLost()) {
			options = options.onLost(onLost);
		}
		return options;
	}

}
