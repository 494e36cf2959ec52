package io.github.redislock.internal.annotation;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;
import io.github.redislock.annotation.LeaderOnly;
import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionSource;
import org.jspecify.annotations.Nullable;

import org.springframework.core.annotation.AliasFor;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Finds {@link DistributedLock} and {@link LeaderOnly} on a method, or on a method that
 * it overrides or implements, and {@code DistributedLock} on types.
 */
public final class DistributedLockSource implements LockDefinitionSource {

	private static final List<Class<? extends Annotation>> ANNOTATIONS = List.of(DistributedLock.class,
			LeaderOnly.class);

	/** Whether a type has one of the annotations, on itself or on a method. */
	private final Map<Class<?>, Boolean> annotated = new ConcurrentHashMap<>();

	/**
	 * Looks at each type only once, because applications have hundreds of beans, and few
	 * locked methods. The search for annotations on overridden methods is slow.
	 */
	@Override
	public boolean isCandidate(@Nullable Class<?> type) {
		return type != null && AnnotationUtils.isCandidateClass(type, ANNOTATIONS)
				&& (this.annotated.computeIfAbsent(type, DistributedLockSource::isAnnotated)
						|| isCandidate(type.getSuperclass())
						|| Arrays.stream(type.getInterfaces()).anyMatch(this::isCandidate));
	}

	private static boolean isAnnotated(Class<?> type) {
		return Stream.<AnnotatedElement>concat(Stream.of(type), Stream.of(ReflectionUtils.getDeclaredMethods(type)))
			.anyMatch((element) -> ANNOTATIONS.stream().anyMatch(MergedAnnotations.from(element)::isPresent));
	}

	@Override
	public @Nullable LockDefinition find(Method method) {
		MergedAnnotation<DistributedLock> annotation = onMethod(method, DistributedLock.class);
		if (!annotation.isPresent()) {
			return null;
		}
		Method declaredOn = (annotation.getSource() instanceof Method source) ? source : method;
		return definition(declaredOn, false, annotation);
	}

	@Override
	public @Nullable LockDefinition findOnType(Class<?> type, Method method) {
		// On an interface, the annotation applies only to the interface's methods. On a
		// class, it applies to subclasses as well.
		MergedAnnotation<DistributedLock> annotation = MergedAnnotations
			.from(type, type.isInterface() ? SearchStrategy.DIRECT : SearchStrategy.SUPERCLASS)
			.get(DistributedLock.class);
		if (!annotation.isPresent() || ContainerCallbacks.isCallback(method)) {
			return null;
		}
		return definition(method, true, annotation);
	}

	@Override
	public @Nullable String findRole(Method method) {
		return onMethod(method, LeaderOnly.class).getValue("value", String.class).orElse(null);
	}

	private static <A extends Annotation> MergedAnnotation<A> onMethod(Method method, Class<A> type) {
		return MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).get(type);
	}

	private static LockDefinition definition(Method declaredOn, boolean declaredOnType,
			MergedAnnotation<DistributedLock> annotation) {
		DistributedLock lock = annotation.synthesize();
		return new LockDefinition(declaredOn, declaredOnType, lock.name(), lock.key(), lock.mode(), lock.permits(),
				annotation, lock.ifLocked() == IfLocked.SKIP, lock.fallback(), lock.template(),
				attributeWithoutAlias(annotation.getMetaSource()));
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

}
