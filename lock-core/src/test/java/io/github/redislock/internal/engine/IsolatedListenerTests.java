package io.github.redislock.internal.engine;

import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.LockListener;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.support.CallingThread;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

class IsolatedListenerTests {

	static Stream<Method> events() {
		return Arrays.stream(LockListener.class.getMethods());
	}

	@ParameterizedTest
	@MethodSource("events")
	void eachEventReachesTheListener(Method event) throws ReflectiveOperationException {
		List<Method> heard = new ArrayList<>();
		LockListener listener = (LockListener) Proxy.newProxyInstance(LockListener.class.getClassLoader(),
				new Class<?>[] { LockListener.class }, (proxy, method, arguments) -> {
					heard.add(method);
					return null;
				});

		Object[] arguments = Stream.of(event.getParameterTypes())
			.map((type) -> type.equals(int.class) ? 0 : null)
			.toArray();
		event.invoke(new IsolatedListener(List.of(listener)), arguments);

		assertThat(heard).containsExactly(event);
	}

	/**
	 * A listener may wait for the requests that it begins.
	 */
	@Test
	void callerDoesNotSendTheRequestsOfAListener() {
		List<Boolean> accepted = new ArrayList<>();
		LockListener listener = new LockListener() {

			@Override
			public void refused(LockTarget target, Duration waited, int waitingCallers) {
				accepted.add(CallingThread.accepts((waits) -> accepted.add(waits), Duration.ZERO));
			}

		};

		CallingThread.begin(Duration.ZERO, () -> {
			new IsolatedListener(List.of(listener)).refused(LockTarget.of("order:42"), Duration.ZERO, 0);
			return listener;
		}, (begun) -> new CompletableFuture<>());

		assertThat(accepted).containsExactly(false);
	}

}
