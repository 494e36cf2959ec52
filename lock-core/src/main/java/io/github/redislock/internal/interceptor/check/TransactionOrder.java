package io.github.redislock.internal.interceptor.check;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.internal.interceptor.LockedMethods;
import io.github.redislock.internal.interceptor.declaration.MethodNames;
import org.aopalliance.aop.Advice;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.aop.Advisor;
import org.springframework.aop.PointcutAdvisor;
import org.springframework.aop.framework.Advised;
import org.springframework.core.Ordered;

/**
 * Warns about methods whose transaction begins before their lock is acquired.
 * <p>
 * These methods wait for the lock with a transaction open, and may read data from before
 * the previous holder's release.
 */
final class TransactionOrder {

	private static final Log logger = LogFactory.getLog(TransactionOrder.class);

	/** Known by name, because the class may be missing from the class path. */
	private static final String TRANSACTION_ADVICE = "org.springframework.transaction.interceptor"
			+ ".TransactionAspectSupport";

	private TransactionOrder() {
	}

	static void check(Advised proxy, Class<?> targetClass, Set<Method> methods) {
		List<Advisor> outside = new ArrayList<>();
		for (Advisor advisor : proxy.getAdvisors()) {
			if (advisor instanceof LockedMethods lock) {
				outside.forEach((transaction) -> check(lock, transaction, targetClass, methods));
				return;
			}
			if (isTransactional(advisor.getAdvice())) {
				outside.add(advisor);
			}
		}
	}

	private static void check(LockedMethods lock, Advisor transaction, Class<?> targetClass, Set<Method> methods) {
		String found = methods.stream()
			.filter((method) -> applies(transaction, method, targetClass))
			.map((method) -> "'" + MethodNames.describe(method, targetClass) + "'")
			.collect(Collectors.joining(", "));
		if (!found.isEmpty()) {
			String order = (transaction instanceof Ordered ordered) ? Integer.toString(ordered.getOrder()) : "not set";
			logger
				.warn(("The transaction of %s begins before the lock is taken, and the lock is kept until it has ended:"
						+ " callers wait for the lock with a transaction open. The order of the lock is %s, that of the"
						+ " transaction %s; advice with a smaller order runs outside. Give the lock a smaller order"
						+ " (redis-lock.order, or 'order' of @EnableDistributedLocks), or the transaction a greater one"
						+ " ('order' of @EnableTransactionManagement)")
					.formatted(found, lock.getOrder(), order));
		}
	}

	private static boolean applies(Advisor advisor, Method method, Class<?> targetClass) {
		return advisor instanceof PointcutAdvisor transaction
				&& transaction.getPointcut().getClassFilter().matches(targetClass)
				&& transaction.getPointcut().getMethodMatcher().matches(method, targetClass);
	}

	private static boolean isTransactional(Advice advice) {
		return Stream.<Class<?>>iterate(advice.getClass(), Objects::nonNull, Class::getSuperclass)
			.anyMatch((type) -> type.getName().equals(TRANSACTION_ADVICE));
	}

}
