package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Function;

import io.github.redislock.interceptor.declaration.DeclaredText;
import io.github.redislock.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.interceptor.declaration.LockSetupException;
import io.github.redislock.interceptor.declaration.MethodNames;
import io.github.redislock.leadership.Leadership;
import org.aopalliance.aop.Advice;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aop.Pointcut;
import org.springframework.aop.support.AbstractPointcutAdvisor;
import org.springframework.aop.support.AopUtils;
import org.springframework.aop.support.StaticMethodMatcherPointcut;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.MethodClassKey;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.Ordered;
import org.springframework.util.ClassUtils;

/**
 * Skips calls of {@code @LeaderOnly} methods in instances that do not lead.
 */
public final class LeaderAdvisor extends AbstractPointcutAdvisor {

	/** Outside of all usual advice, so that a skipped call costs nothing. */
	private static final int ORDER = Ordered.HIGHEST_PRECEDENCE + 100;

	private static final long serialVersionUID = 1L;

	private static final Log logger = LogFactory.getLog(LeaderAdvisor.class);

	private final transient Function<Method, @Nullable String> declaredRoles;

	private final transient ConfigurableListableBeanFactory beanFactory;

	private final transient DeclaredText text;

	private final transient Map<Class<?>, Map<Method, String>> methods = new ConcurrentHashMap<>();

	private final transient Map<MethodClassKey, LeaderMethod> read = new ConcurrentHashMap<>();

	private final transient Pointcut pointcut = new LeaderMethodPointcut(this);

	private final transient MethodInterceptor advice = this::invoke;

	private final transient List<Consumer<String>> skipListeners = new CopyOnWriteArrayList<>();

	/**
	 * Create an advisor.
	 * @param declaredRoles returns the role that was declared on a method, or
	 * {@code null}
	 * @param beanFactory has the leaderships, which are looked up at the first call
	 */
	public LeaderAdvisor(Function<Method, @Nullable String> declaredRoles,
			ConfigurableListableBeanFactory beanFactory) {
		this.declaredRoles = declaredRoles;
		this.beanFactory = beanFactory;
		this.text = DeclaredText.resolvedBy((ConfigurableBeanFactory) beanFactory);
		setOrder(ORDER);
	}

	@Override
	public Pointcut getPointcut() {
		return this.pointcut;
	}

	@Override
	public Advice getAdvice() {
		return this.advice;
	}

	/**
	 * Return the methods of a class that only a leader runs.
	 * @param type a class
	 * @return each with its role as it was declared
	 */
	public Map<Method, String> methods(Class<?> type) {
		return this.methods.computeIfAbsent(ClassUtils.getUserClass(type),
				(userClass) -> MethodIntrospector.selectMethods(userClass, this.declaredRoles::apply));
	}

	/**
	 * Read a method that only a leader runs.
	 * @param method one of {@link #methods(Class)}
	 * @param targetClass the class of its bean
	 * @return its role
	 * @throws LockSetupException if its calls cannot be skipped
	 */
	public String roleOf(Method method, Class<?> targetClass) {
		return find(method, targetClass).role();
	}

	/**
	 * Report each skipped call.
	 * @param listener receives the role
	 */
	public void onSkipped(Consumer<String> listener) {
		this.skipListeners.add(listener);
	}

	private @Nullable Object invoke(MethodInvocation invocation) throws Throwable {
		Object target = invocation.getThis();
		Class<?> targetClass = (target != null) ? AopUtils.getTargetClass(target)
				: invocation.getMethod().getDeclaringClass();
		LeaderMethod method = find(AopUtils.getMostSpecificMethod(invocation.getMethod(), targetClass), targetClass);
		if (method.leadership().isLeader()) {
			return invocation.proceed();
		}
		if (logger.isDebugEnabled()) {
			logger.debug("%s skipped: this instance does not lead role '%s'"
				.formatted(MethodNames.describe(invocation.getMethod(), targetClass), method.role()));
		}
		this.skipListeners.forEach((listener) -> listener.accept(method.role()));
		return method.style().emptyResult();
	}

	private LeaderMethod find(Method method, Class<?> targetClass) {
		Class<?> userClass = ClassUtils.getUserClass(targetClass);
		MethodClassKey key = new MethodClassKey(method, userClass);
		LeaderMethod known = this.read.get(key);
		if (known == null) {
			known = read(method, userClass);
			this.read.put(key, known);
		}
		return known;
	}

	private LeaderMethod read(Method method, Class<?> targetClass) {
		String role = this.text.resolve(String.valueOf(methods(targetClass).get(method)));
		CallStyle style = style(method, targetClass);
		List<Leadership> all = this.beanFactory.getBeanProvider(Leadership.class).stream().toList();
		return all.stream()
			.filter((leadership) -> role.equals(leadership.role()))
			.findFirst()
			.map((leadership) -> new LeaderMethod(leadership, style))
			.orElseThrow(() -> new LockSetupException(
					"Method '%s' is for the leader of role '%s' only, but there is no such role. There is %s."
						.formatted(MethodNames.describe(method, targetClass), role, all.isEmpty() ? "none"
								: all.stream().map((leadership) -> "'" + leadership.role() + "'").sorted().toList()),
					"Correct the name, or add 'redis-lock.leadership.roles.%s', or a bean of type LockLeadership."
						.formatted(role),
					null));
	}

	private static CallStyle style(Method method, Class<?> targetClass) {
		String reason;
		try {
			CallStyle style = MethodRules.styleOf(method, targetClass);
			reason = style.reasonNotSkippable();
			if (reason == null) {
				return style;
			}
		}
		catch (InvalidLockedMethodException ex) {
			reason = "returns " + method.getReturnType().getSimpleName();
		}
		throw new LockSetupException(
				"Method '%s' is for a leader only, so it is skipped elsewhere, but %s, which cannot be empty."
					.formatted(MethodNames.describe(method, targetClass), reason),
				"Make it return nothing, an Optional, or something else that can be empty.", null);
	}

	private static final class LeaderMethodPointcut extends StaticMethodMatcherPointcut {

		private final LeaderAdvisor advisor;

		private LeaderMethodPointcut(LeaderAdvisor advisor) {
			this.advisor = advisor;
			setClassFilter((type) -> !advisor.methods(type).isEmpty());
		}

		@Override
		public boolean matches(Method method, Class<?> targetClass) {
			return this.advisor.methods(targetClass).containsKey(AopUtils.getMostSpecificMethod(method, targetClass));
		}

	}

	/**
	 * A method that only a leader runs.
	 */
	private record LeaderMethod(Leadership leadership, CallStyle style) {

		String role() {
			return this.leadership.role();
		}

	}

}
