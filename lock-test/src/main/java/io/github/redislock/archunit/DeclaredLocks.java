package io.github.redislock.archunit;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.core.domain.properties.HasName;
import io.github.redislock.LockMode;
import io.github.redislock.annotation.DistributedLock;

/**
 * Finds the declaration of a method's lock in the same order as at run time: first on the
 * method and those that it overrides or implements, then on its class and superclasses,
 * then on its interfaces.
 */
final class DeclaredLocks {

	private static final Set<String> METHODS_OF_OBJECT = Set.of("equals", "hashCode", "toString");

	private DeclaredLocks() {
	}

	/**
	 * Return the method or type whose annotation locks a method.
	 * @param type the class of the object, which may inherit the method
	 */
	static Optional<HasAnnotations<?>> find(JavaMethod method, JavaClass type) {
		List<JavaMethod> overridden = overridden(method, type);
		Stream<HasAnnotations<?>> methods = overridden.stream().map((each) -> each);
		Stream<HasAnnotations<?>> types = (isOpen(method) && !DeclaredCallbacks.isCallback(method, overridden))
				? types(method, overridden) : Stream.empty();
		return Stream.concat(methods, types)
			.filter((each) -> each.isMetaAnnotatedWith(DistributedLock.class))
			.findFirst();
	}

	/**
	 * Return whether a holder of one lock also holds another one. That is the case if
	 * both have the same fixed name, unless the held lock is shared in a mode that does
	 * not include the wanted one.
	 */
	static boolean covers(HasAnnotations<?> held, HasAnnotations<?> wanted) {
		Optional<DistributedLock> own = withFixedName(held);
		Optional<DistributedLock> other = withFixedName(wanted);
		return own.isPresent() && other.isPresent() && name(own.get()).equals(name(other.get()))
				&& covers(own.get(), other.get());
	}

	private static boolean covers(DistributedLock held, DistributedLock wanted) {
		if (held.mode() == LockMode.READ) {
			return wanted.mode() == LockMode.READ;
		}
		return !isCounted(held) || isCounted(wanted) || wanted.mode() == LockMode.READ;
	}

	private static boolean isCounted(DistributedLock lock) {
		return !lock.permits().isEmpty();
	}

	private static Optional<DistributedLock> withFixedName(HasAnnotations<?> declaredOn) {
		return declaredOn.tryGetAnnotationOfType(DistributedLock.class)
			.filter((lock) -> lock.key().isEmpty() && !name(lock).isEmpty() && !name(lock).contains("#"));
	}

	private static String name(DistributedLock lock) {
		return lock.name().isEmpty() ? lock.value() : lock.name();
	}

	private static List<JavaMethod> overridden(JavaMethod method, JavaClass type) {
		List<JavaMethod> found = new ArrayList<>();
		found.add(method);
		if (!is(method, JavaModifier.STATIC) && !is(method, JavaModifier.PRIVATE)) {
			Stream.of(type.getAllRawSuperclasses(), type.getAllRawInterfaces())
				.flatMap(Collection::stream)
				.flatMap((each) -> each.getMethods().stream())
				.filter((other) -> isOverridden(other, method))
				.forEach(found::add);
		}
		return found;
	}

	private static Stream<HasAnnotations<?>> types(JavaMethod method, List<JavaMethod> overridden) {
		JavaClass declaring = method.getOwner();
		Stream<JavaClass> classes = declaring.isInterface() ? Stream.of(declaring)
				: Stream.concat(Stream.of(declaring), declaring.getAllRawSuperclasses().stream());
		Stream<JavaClass> interfaces = overridden.stream().map(JavaMethod::getOwner).filter(JavaClass::isInterface);
		return Stream.concat(classes, interfaces).map((each) -> each);
	}

	/**
	 * Return whether a lock on the type can apply to a method.
	 */
	private static boolean isOpen(JavaMethod method) {
		return is(method, JavaModifier.PUBLIC) && !is(method, JavaModifier.STATIC)
				&& !is(method, JavaModifier.SYNTHETIC) && !METHODS_OF_OBJECT.contains(method.getName());
	}

	/**
	 * Return whether a method overrides one of a superclass or an interface, by itself or
	 * through a bridge.
	 */
	private static boolean isOverridden(JavaMethod other, JavaMethod method) {
		if (is(other, JavaModifier.STATIC) || is(other, JavaModifier.PRIVATE)
				|| !other.getName().equals(method.getName())) {
			return false;
		}
		return parameters(other).equals(parameters(method)) || method.getCallsOfSelf()
			.stream()
			.map(JavaMethodCall::getOrigin)
			.anyMatch((caller) -> is(caller, JavaModifier.BRIDGE) && parameters(caller).equals(parameters(other)));
	}

	static boolean is(JavaCodeUnit method, JavaModifier modifier) {
		return method.getModifiers().contains(modifier);
	}

	static List<String> parameters(JavaCodeUnit method) {
		return method.getRawParameterTypes().stream().map(HasName::getName).toList();
	}

}
