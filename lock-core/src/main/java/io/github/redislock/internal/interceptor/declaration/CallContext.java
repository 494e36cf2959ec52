package io.github.redislock.internal.interceptor.declaration;

import java.lang.reflect.Method;
import java.util.List;
import java.util.Map;

import org.aopalliance.intercept.MethodInvocation;
import org.jspecify.annotations.Nullable;

import org.springframework.expression.BeanResolver;
import org.springframework.expression.ConstructorResolver;
import org.springframework.expression.EvaluationContext;
import org.springframework.expression.IndexAccessor;
import org.springframework.expression.MethodResolver;
import org.springframework.expression.OperatorOverloader;
import org.springframework.expression.PropertyAccessor;
import org.springframework.expression.TypeComparator;
import org.springframework.expression.TypeConverter;
import org.springframework.expression.TypeLocator;
import org.springframework.expression.TypedValue;
import org.springframework.expression.spel.support.SimpleEvaluationContext;

/**
 * One call as expressions see it: its arguments as variables, and the call itself as
 * {@code #root}.
 * <p>
 * All calls of a method share one {@link SimpleEvaluationContext} for everything else,
 * because creating one for each call would take longer than evaluating an expression, and
 * would lose the cached results of reflection.
 *
 * @param rules the shared context, from {@link #newRules()}
 * @param invocation the call
 * @param targetClass the class of the called object
 * @param variables the variables, each with the index of its argument
 */
public record CallContext(EvaluationContext rules, MethodInvocation invocation, Class<?> targetClass,
		Map<String, Integer> variables) implements EvaluationContext {

	/**
	 * Create a context in which expressions may read the given values and call their
	 * methods. The context caches classes, so it must not outlive those classes.
	 */
	static EvaluationContext newRules() {
		return SimpleEvaluationContext.forReadOnlyDataBinding().withInstanceMethods().build();
	}

	@Override
	public TypedValue getRootObject() {
		Method method = this.invocation.getMethod();
		return new TypedValue(new CallRoot(method, method.getName(), this.invocation.getArguments(),
				this.invocation.getThis(), this.targetClass));
	}

	@Override
	public @Nullable Object lookupVariable(String name) {
		Integer index = this.variables.get(name);
		return (index != null) ? this.invocation.getArguments()[index] : null;
	}

	@Override
	public void setVariable(String name, @Nullable Object value) {
		throw new UnsupportedOperationException("Lock expressions must not assign anything");
	}

	@Override
	public boolean isAssignmentEnabled() {
		return this.rules.isAssignmentEnabled();
	}

	@Override
	public boolean isCompilationSupported() {
		return this.rules.isCompilationSupported();
	}

	@Override
	public List<PropertyAccessor> getPropertyAccessors() {
		return this.rules.getPropertyAccessors();
	}

	@Override
	public List<IndexAccessor> getIndexAccessors() {
		return this.rules.getIndexAccessors();
	}

	@Override
	public List<ConstructorResolver> getConstructorResolvers() {
		return this.rules.getConstructorResolvers();
	}

	@Override
	public List<MethodResolver> getMethodResolvers() {
		return this.rules.getMethodResolvers();
	}

	@Override
	public @Nullable BeanResolver getBeanResolver() {
		return this.rules.getBeanResolver();
	}

	@Override
	public TypeLocator getTypeLocator() {
		return this.rules.getTypeLocator();
	}

	@Override
	public TypeConverter getTypeConverter() {
		return this.rules.getTypeConverter();
	}

	@Override
	public TypeComparator getTypeComparator() {
		return this.rules.getTypeComparator();
	}

	@Override
	public OperatorOverloader getOperatorOverloader() {
		return this.rules.getOperatorOverloader();
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

}
