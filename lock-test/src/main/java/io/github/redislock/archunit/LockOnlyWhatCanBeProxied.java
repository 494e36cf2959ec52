package io.github.redislock.archunit;

import java.util.List;
import java.util.Locale;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;

/**
 * Finds locked methods that a proxy cannot intercept.
 */
final class LockOnlyWhatCanBeProxied extends ArchCondition<JavaClass> {

	private static final List<JavaModifier> HIDDEN = List.of(JavaModifier.PRIVATE, JavaModifier.STATIC,
			JavaModifier.FINAL);

	LockOnlyWhatCanBeProxied() {
		super("lock only methods that a proxy can override");
	}

	@Override
	public void check(JavaClass type, ConditionEvents events) {
		for (JavaMethod method : type.getMethods()) {
			if (!DeclaredLocks.is(method, JavaModifier.SYNTHETIC) && DeclaredLocks.find(method, type).isPresent()) {
				check(method, type, events);
			}
		}
	}

	private static void check(JavaMethod method, JavaClass type, ConditionEvents events) {
		for (JavaModifier modifier : HIDDEN) {
			if (DeclaredLocks.is(method, modifier)) {
				report(method, "is locked, but " + modifier.name().toLowerCase(Locale.ROOT), events);
				return;
			}
		}
		if (type.getModifiers().contains(JavaModifier.FINAL)) {
			report(method, "is locked, but its class is final", events);
		}
	}

	private static void report(JavaMethod method, String problem, ConditionEvents events) {
		events.add(SimpleConditionEvent.violated(method, "%s %s, so no proxy can lock it in %s"
			.formatted(method.getDescription(), problem, method.getSourceCodeLocation())));
	}

}
