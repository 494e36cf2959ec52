package io.github.redislock.internal.engine;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.HeldLock;

/**
 * Adapts the handle of another API, whose methods have the same names, to futures.
 */
final class HandleAsFutures {

	private HandleAsFutures() {
	}

	/**
	 * Return a view of a handle.
	 * @param begin how to call a method and get its result as a future
	 */
	static AsyncLockHandle of(HeldLock handle, Function<Callable<?>, CompletableFuture<?>> begin) {
		return (AsyncLockHandle) Proxy.newProxyInstance(AsyncLockHandle.class.getClassLoader(),
				new Class<?>[] { AsyncLockHandle.class }, (proxy, method, arguments) -> {
					Method same = handle.getClass().getMethod(method.getName(), method.getParameterTypes());
					same.setAccessible(true);
					Callable<?> call = () -> invoke(same, handle, arguments);
					return (method.getReturnType() == CompletableFuture.class) ? begin.apply(call) : call.call();
				});
	}

	private static Object invoke(Method method, HeldLock handle, Object[] arguments) throws Exception {
		try {
			return method.invoke(handle, arguments);
		}
		catch (InvocationTargetException ex) {
			throw (ex.getCause() instanceof Exception cause) ? cause : ex;
		}
	}

}
