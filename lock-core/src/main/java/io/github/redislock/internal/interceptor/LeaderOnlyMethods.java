package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.redislock.internal.interceptor.declaration.DeclaredText;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.internal.interceptor.declaration.LockDefinitionSource;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import io.github.redislock.leadership.Leadership;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.Ordered;
import org.springframework.util.function.SingletonSupplier;

/**
 * The methods that only the leader of a role runs, and the advice that skips their calls
 * in other instances.
 */
public final class LeaderOnlyMethods extends AdvisedMethods<String, LeaderOnlyMethods.LeaderOnlyMethod> {

	/** Outside most other advice, so that a skipped call costs as little as possible. */
	private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

	private static final long serialVersionUID = 1L;

	private final transient List<Consumer<String>> skipListeners = new CopyOnWriteArrayList<>();

	/**
	 * Create the leader-only methods of a source.
	 * @param source finds the roles of methods
	 */
	public LeaderOnlyMethods(LockDefinitionSource source) {
		super(source, ORDER);
	}

	/**
	 * Register a listener for skipped calls.
	 * @param listener called with the role at each skipped call
	 */
	public void onSkipped(Consumer<String> listener) {
		this.skipListeners.add(listener);
	}

	@Override
	public void checkBeans() {
		known().forEach((method) -> Objects.requireNonNull(method.leadership().get()));
	}

	@Override
	public LockSetupException invalid(Method method, Class<?> targetClass, String problem, String action) {
		return new LockSetupException(
				("Method '%s' must run only on the leader, but its calls cannot be intercepted: %s. So it would run on"
						+ " every instance.")
					.formatted(MethodNames.describe(method, targetClass), problem),
				action, null);
	}

	@Override
	@Nullable String declared(Method method) {
		return source().findRole(method);
	}

	@Override
	LeaderOnlyMethod read(Method method, Class<?> targetClass, String declaredRole) {
		String role = DeclaredText.resolve(declaredRole, beanFactory());
		String name = MethodNames.describe(method, targetClass);
		return new LeaderOnlyMethod(role, SingletonSupplier.of(() -> leadership(role, name)),
				new SkippedCall(name, style(method, targetClass)));
	}

	@Override
	@Nullable Object call(LeaderOnlyMethod method, MethodInvocation invocation, Class<?> targetClass) throws Throwable {
		if (method.leadership().get().isLeader()) {
			return invocation.proceed();
		}
		this.skipListeners.forEach((listener) -> listener.accept(method.role()));
		return method.skipped().result(() -> "this instance does not lead role '%s'".formatted(method.role()));
	}

	private Leadership leadership(String role, String method) {
		List<Leadership> all = beanFactory().getBeanProvider(Leadership.class).stream().toList();
		return all.stream()
			.filter((leadership) -> role.equals(leadership.role()))
			.findFirst()
			.orElseThrow(() -> new LockSetupException(
					"Method '%s' runs only on the leader of role '%s', but there is no such role. Known roles: %s."
						.formatted(method, role, all.isEmpty() ? "none"
								: all.stream().map((leadership) -> "'" + leadership.role() + "'").sorted().toList()),
					"Correct the name, or add 'redis-lock.leadership.roles.%s', or a bean of type LockLeadership."
						.formatted(role),
					null));
	}

	private static CallStyle style(Method method, Class<?> targetClass) {
		String reason;
		Throwable cause = null;
		try {
			CallStyle style = MethodRules.styleOf(method, targetClass);
			reason = style.reasonNotSkippable();
			if (reason == null) {
				return style;
			}
		}
		catch (InvalidLockedMethodException ex) {
			reason = "returns " + method.getReturnType().getSimpleName();
			cause = ex;
		}
		throw new LockSetupException(
				"Method '%s' runs only on the leader, but it %s, so there is no value to return for a skipped call."
					.formatted(MethodNames.describe(method, targetClass), reason),
				"Make it return nothing, an Optional, or something else that can be empty.", cause);
	}

	/**
	 * A method that only a leader runs.
	 *
	 * @param role the name of the role
	 * @param leadership the leadership of the role, which is looked up when it is first
	 * needed
	 * @param skipped provides the result of a skipped call
	 */
	record LeaderOnlyMethod(String role, Supplier<Leadership> leadership, SkippedCall skipped) {

	}

}
