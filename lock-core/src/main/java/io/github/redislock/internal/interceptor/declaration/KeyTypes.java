package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.BaseStream;

import org.jspecify.annotations.Nullable;

import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Decides which values can name a lock, and which can name several locks, one for each
 * element.
 */
final class KeyTypes {

	/** Why a key cannot be several values, as the end of a sentence. */
	static final String SEVERAL_SHARED = "is several values, but several locks cannot be shared";

	/** How to solve the problem {@link #SEVERAL_SHARED}. */
	static final String ONE_OR_ALONE = "Make 'key' one value, as in '#order.id' or '#ids[0]'; or make the locks"
			+ " exclusive, without mode = READ and 'permits'.";

	private static final Set<Class<?>> OPTIONALS = Set.of(Optional.class, OptionalInt.class, OptionalLong.class,
			OptionalDouble.class);

	/**
	 * Whether a class has its own {@code toString()}. Cached, because calls need it.
	 */
	private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {

		@Override
		protected Boolean computeValue(Class<?> type) {
			Method method = ReflectionUtils.findMethod(type, "toString");
			return method != null && method.getDeclaringClass() != Object.class;
		}

	};

	private KeyTypes() {
	}

	/**
	 * Return whether a value of a class counts as several values, one for each element.
	 */
	static boolean areSeveral(Class<?> type) {
		return type.isArray() || BaseStream.class.isAssignableFrom(type)
				|| Iterable.class.isAssignableFrom(type) && !Path.class.isAssignableFrom(type);
	}

	/**
	 * Return why the elements of values of a class cannot name locks, as far as that is
	 * known from the class.
	 * @return the end of a sentence, or {@code null} if no reason is known
	 */
	static @Nullable String whyNotEach(Class<?> type) {
		Class<?> element = type.getComponentType();
		return (element != null) ? whyNotOne(element) : whyNoLock(type);
	}

	/**
	 * Return why values of exactly this class cannot name a lock.
	 * @return the end of a sentence, or {@code null} if they can
	 */
	static @Nullable String whyNoKey(Class<?> type) {
		String reason = whyNotOne(type);
		return (reason != null || HAS_TEXT.get(type)) ? reason
				: ("is a %s, which has no toString() of its own, so its text differs between processes:"
						+ " use a property of it")
					.formatted(ClassUtils.getQualifiedName(type));
	}

	/**
	 * Return why values of a class or its subclasses cannot name a lock, as far as that
	 * is known from the class.
	 * @return the end of a sentence, or {@code null} if no reason is known
	 */
	static @Nullable String whyNotOne(Class<?> type) {
		return areSeveral(type) ? "is a %s, but names one lock: only a whole 'key' may be several values"
			.formatted(ClassUtils.getQualifiedName(type)) : whyNoLock(type);
	}

	/**
	 * Return why values of a class name neither one lock nor several.
	 */
	private static @Nullable String whyNoLock(Class<?> type) {
		if (Map.class.isAssignableFrom(type) || Iterator.class.isAssignableFrom(type)) {
			return "is a %s, which is neither one value nor a collection of values: for a map, write '.keySet()'"
				.formatted(ClassUtils.getQualifiedName(type));
		}
		return OPTIONALS.contains(type)
				? "is an %s, which may be empty: unwrap it, for example with '.get()'".formatted(type.getSimpleName())
				: null;
	}

}
