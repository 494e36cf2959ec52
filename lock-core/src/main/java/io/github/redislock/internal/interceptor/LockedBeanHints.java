package io.github.redislock.internal.interceptor;

import java.lang.reflect.Method;
import java.util.Map;
import java.util.Set;

import io.github.redislock.internal.interceptor.declaration.LockDefinition;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.core.ResolvableType;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Lets a native image find the locked and leader-only methods of a bean, their fallbacks,
 * and the argument properties that expressions may read.
 * <p>
 * The hints come from the declared types of parameters. If an argument's class is a
 * subclass with more properties, the application has to register it.
 */
final class LockedBeanHints implements BeanRegistrationAotProcessor {

	private static final BindingReflectionHintsRegistrar PROPERTIES = new BindingReflectionHintsRegistrar();

	@Override
	public @Nullable BeanRegistrationAotContribution processAheadOfTime(RegisteredBean registeredBean) {
		LockedMethods methods = registeredBean.getBeanFactory().getBeanProvider(LockedMethods.class).getIfAvailable();
		LeaderOnlyMethods leaderOnly = registeredBean.getBeanFactory()
			.getBeanProvider(LeaderOnlyMethods.class)
			.getIfAvailable();
		if (methods == null || leaderOnly == null) {
			return null;
		}
		// The object of a factory has another type than the factory.
		Class<?> made = registeredBean.isInnerBean() ? null
				: registeredBean.getBeanFactory().getType(registeredBean.getBeanName(), false);
		Class<?> type = ClassUtils.getUserClass((made != null) ? made : registeredBean.getBeanClass());
		Map<Method, LockDefinition> definitions = methods.definitions(type);
		Set<Method> ofLeader = leaderOnly.definitions(type).keySet();
		return (definitions.isEmpty() && ofLeader.isEmpty()) ? null : new Contribution(type, definitions, ofLeader);
	}

	/**
	 * Hints for one bean.
	 */
	private record Contribution(Class<?> type, Map<Method, LockDefinition> definitions,
			Set<Method> ofLeader) implements BeanRegistrationAotContribution {

		@Override
		public void applyTo(GenerationContext generationContext, BeanRegistrationCode beanRegistrationCode) {
			ReflectionHints hints = generationContext.getRuntimeHints().reflection();
			registerHierarchy(hints);
			this.ofLeader.forEach((method) -> hints.registerMethod(method, ExecutableMode.INVOKE));
			this.definitions.forEach((method, definition) -> {
				hints.registerMethod(method, ExecutableMode.INVOKE);
				hints.registerMethod(definition.declaredOn(), ExecutableMode.INVOKE);
				registerFallback(hints, definition.fallback());
				if (readsCall(definition)) {
					registerReadable(hints, method);
				}
			});
		}

		/**
		 * Register the class hierarchy, because annotations are also found on the methods
		 * that a method overrides or implements.
		 */
		private void registerHierarchy(ReflectionHints hints) {
			for (Class<?> each = this.type; each != null && each != Object.class; each = each.getSuperclass()) {
				hints.registerType(each);
			}
			AdvisedMethods.interfacesOf(this.type).forEach((face) -> hints.registerType(face));
		}

		private void registerFallback(ReflectionHints hints, String name) {
			ReflectionUtils.doWithMethods(this.type, (method) -> hints.registerMethod(method, ExecutableMode.INVOKE),
					(method) -> method.getName().equals(name));
		}

		private void registerReadable(ReflectionHints hints, Method method) {
			// Expressions may read '#root.target'.
			hints.registerType(this.type, MemberCategory.INVOKE_PUBLIC_METHODS);
			for (int index = 0; index < method.getParameterCount(); index++) {
				ResolvableType parameter = ResolvableType.forMethodParameter(method, index, this.type);
				if (parameter.toClass().isPrimitive()) {
					continue;
				}
				PROPERTIES.registerReflectionHints(hints, parameter.getType());
				hints.registerType(parameter.toClass(), MemberCategory.INVOKE_PUBLIC_METHODS,
						MemberCategory.ACCESS_PUBLIC_FIELDS);
			}
		}

		private static boolean readsCall(LockDefinition definition) {
			return !definition.key().isEmpty() || definition.name().contains("#{");
		}

	}

}
