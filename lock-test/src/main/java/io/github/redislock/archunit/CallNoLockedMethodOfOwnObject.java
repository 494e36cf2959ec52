package io.github.redislock.archunit;

import java.util.Optional;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaCodeUnitAccess;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.properties.HasAnnotations;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import org.jspecify.annotations.Nullable;

/**
 * Finds calls to locked methods that bypass the proxy, because they come from the same
 * object.
 */
final class CallNoLockedMethodOfOwnObject extends ArchCondition<JavaClass> {

	CallNoLockedMethodOfOwnObject() {
		super("not call locked methods of the same object, which bypasses its proxy");
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		for (JavaCodeUnitAccess<?> access : type.getCodeUnitAccessesFromSelf()) {
			JavaClass own = ownClass(access);
			if (own != null && access.getTarget().resolveMember().orElse(null) instanceof JavaMethod target
					&& isUnlockedCall(access.getOrigin(), target, own)) {
				events.add(SimpleConditionEvent.violated(access,
						"%s, which is locked, but a call within the same object bypasses the proxy"
							.formatted(access.getDescription())));
			}
		}
	}

	/**
	 * Return the class of the calling object, or of an enclosing object, to which the
	 * called method belongs, or {@code null} if there is none.
	 */
	private static @Nullable JavaClass ownClass(JavaCodeUnitAccess<?> access) {
		JavaClass called = access.getTargetOwner();
		if (called.isInterface() || isStatic(access.getOrigin())) {
			return null;
		}
		for (JavaClass type = access.getOriginOwner(); type != null; type = around(type)) {
			if (type.equals(called) || type.getAllRawSuperclasses().contains(called)) {
				return type;
			}
		}
		return null;
	}

	/**
	 * Return the class of the enclosing object, if a class has one.
	 */
	private static @Nullable JavaClass around(JavaClass type) {
		boolean alone = type.getModifiers().contains(JavaModifier.STATIC)
				|| type.getEnclosingCodeUnit().filter(CallNoLockedMethodOfOwnObject::isStatic).isPresent();
		return alone ? null : type.getEnclosingClass().orElse(null);
	}

	private static boolean isUnlockedCall(JavaCodeUnit origin, JavaMethod target, JavaClass own) {
		Optional<HasAnnotations<?>> lock = DeclaredLocks.find(target, own);
		if (lock.isEmpty()) {
			return false;
		}
		if (!(origin instanceof JavaMethod caller)) {
			return true;
		}
		boolean bridge = DeclaredLocks.is(caller, JavaModifier.BRIDGE);
		return !bridge && !isOverride(caller, target) && !holdsAlready(caller, own, lock.get());
	}

	/**
	 * Return whether a method calls the one that it overrides.
	 */
	private static boolean isOverride(JavaMethod caller, JavaMethod target) {
		return !caller.getOwner().equals(target.getOwner()) && caller.getName().equals(target.getName())
				&& caller.getRawParameterTypes().size() == target.getRawParameterTypes().size();
	}

	private static boolean holdsAlready(JavaMethod caller, JavaClass own, HasAnnotations<?> lock) {
		return DeclaredLocks.find(caller, own).filter((held) -> DeclaredLocks.covers(held, lock)).isPresent();
	}

	private static boolean isStatic(JavaCodeUnit code) {
		return code.getModifiers().contains(JavaModifier.STATIC);
	}

}
