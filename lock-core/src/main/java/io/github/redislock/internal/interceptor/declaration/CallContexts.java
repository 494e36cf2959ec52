package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.Map;

import io.github.redislock.internal.support.KeyRules;
import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.core.convert.TypeDescriptor;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.spel.support.DataBindingMethodResolver;
import org.springframework.expression.spel.support.DataBindingPropertyAccessor;
import org.springframework.expression.spel.support.SimpleEvaluationContext;
import org.springframework.expression.spel.support.StandardTypeConverter;

/**
 * Creates the contexts in which the expressions of a method are evaluated. Expressions
 * can read arguments and call their methods. They cannot use types, constructors or
 * beans, or assign anything.
 * <p>
 * All calls of a method share the accessor, which caches the results of reflection. The
 * cache refers to classes, so an instance must not outlive those classes.
 */
public final class CallContexts {

	private static final TypeConverter CONVERTER = new Converter();

	private final PropertyAccessor properties = DataBindingPropertyAccessor.forReadOnlyAccess();

	private final MethodResolver methods = DataBindingMethodResolver.forInstanceMethodInvocation();

	CallContexts() {
	}

	/**
	 * Return the context of one call: its arguments as variables, and the call itself as
	 * {@code #root}.
	 * @param variables the names of the variables, each with the index of its argument
	 */
	EvaluationContext of(MethodInvocation invocation, Class<?> targetClass, Map<String, Integer> variables) {
		Method method = invocation.getMethod();
		@Nullable Object[] arguments = invocation.getArguments();
		EvaluationContext context = SimpleEvaluationContext.forPropertyAccessors(this.properties)
			.withAssignmentDisabled()
			.withMethodResolvers(this.methods)
			.withTypeConverter(CONVERTER)
			.withRootObject(new CallRoot(method, method.getName(), arguments, invocation.getThis(), targetClass))
			.build();
		variables.forEach((name, index) -> context.setVariable(name, arguments[index]));
		return context;
	}

	/**
	 * The object that expressions see as {@code #root}.
	 *
	 * @param method the called method
	 * @param methodName its name
	 * @param args the arguments
	 * @param target the object on which the method is called
	 * @param targetClass the class of that object
	 */
	public record CallRoot(Method method, String methodName, @Nullable Object[] args, @Nullable Object target,
			Class<?> targetClass) {

	}

	/**
	 * Converts values to text as if they were keys, for example the operands of
	 * {@code +}.
	 */
	private static final class Converter extends StandardTypeConverter {

		@Override
		public boolean canConvert(@Nullable TypeDescriptor source, TypeDescriptor target) {
			return target.getType() == String.class || super.canConvert(source, target);
		}

		@Override
		public @Nullable Object convertValue(@Nullable Object value, @Nullable TypeDescriptor source,
				TypeDescriptor target) {
			return (value != null && target.getType() == String.class) ? KeyRules.text(value)
					: super.convertValue(value, source, target);
		}

	}

}
