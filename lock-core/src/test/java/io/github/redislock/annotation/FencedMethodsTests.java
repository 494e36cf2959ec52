package io.github.redislock.annotation;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;

import io.github.redislock.LockFence;
import io.github.redislock.LockMode;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import org.junit.jupiter.api.Test;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.scheduling.annotation.Async;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests the attribute {@code fence}. {@code FenceGuardTests} tests what a fence does.
 */
class FencedMethodsTests {

	@Test
	void fenceIsPassedOn() {
		try (LockedContext context = LockedContext.of(Map.of("app.fence", "orders"), (beans) -> {
			beans.registerBean("orders", LockFence.class, () -> new Fence(false));
			beans.register(Orders.class);
		})) {
			context.get(Orders.class).pay();
			context.get(Orders.class).later();

			assertThat(context.locks().options)
				.allSatisfy(
						(options) -> assertThat(options.get("fence", LockFence.class)).isSameAs(context.get("orders")))
				.hasSize(2);
		}
	}

	@Test
	void missingFenceIsRefused() {
		assertThat(LockedContext.failureOf((beans) -> {
			beans.registerBean("payments", LockFence.class, () -> new Fence(false));
			beans.register(Unknown.class);
		})).hasMessageContainingAll("Unknown.pay", "its fence 'orders' is not a bean of type LockFence",
				"Use one of these: 'payments'.");
		assertThat(LockedContext.failureOf((beans) -> beans.register(Unknown.class)))
			.hasMessageContaining("Use one of these: none.");
	}

	@Test
	void workThatLeavesItsThreadIsRefused() {
		assertThat(LockedContext.failureOf((beans) -> register(beans, Later.class))).hasMessageContaining(
				"it has fence = 'orders', but its work may leave the thread that has the transaction");
		assertThat(LockedContext.failureOf((beans) -> register(beans, Reactive.class)))
			.hasMessageContaining("may leave the thread");
	}

	@Test
	void sharedLockIsRefused() {
		assertThat(LockedContext.failureOf((beans) -> register(beans, Reader.class))).hasMessageContaining(
				"it has fence = 'orders', which would refuse all holders of a shared lock but the newest");
		assertThat(LockedContext.failureOf((beans) -> register(beans, Counted.class)))
			.hasMessageContaining("Remove the fence, or 'mode' and 'permits'.");
	}

	@Test
	void fenceThatCanNeverWorkIsRefused() {
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> LockedContext.of(Map.of(), (beans) -> {
			beans.registerBean("orders", LockFence.class, () -> new Fence(true));
			beans.register(Unknown.class);
		})).withMessageContaining("Fence 'orders' cannot be used: Table 'lock_fence' is missing.");
	}

	private static void register(AnnotationConfigApplicationContext beans, Class<?> type) {
		beans.registerBean("orders", LockFence.class, () -> new Fence(false));
		beans.register(type);
	}

	static class Orders {

		@DistributedLock(name = "order", fence = "${app.fence}")
		public void pay() {
		}

		@Async
		@DistributedLock(name = "order", fence = "orders")
		public Future<?> later() {
			return CompletableFuture.completedFuture(null);
		}

	}

	static class Unknown {

		@DistributedLock(name = "order", fence = "orders")
		public void pay() {
		}

	}

	static class Later {

		@DistributedLock(name = "order", fence = "orders")
		public CompletableFuture<String> pay() {
			return CompletableFuture.completedFuture("");
		}

	}

	static class Reactive {

		@DistributedLock(name = "order", fence = "orders")
		public Mono<String> pay() {
			return Mono.empty();
		}

	}

	static class Reader {

		@DistributedLock(name = "order", fence = "orders", mode = LockMode.READ)
		public void pay() {
		}

	}

	static class Counted {

		@DistributedLock(name = "order", fence = "orders", permits = "3")
		public void pay() {
		}

	}

	private record Fence(boolean broken) implements LockFence {

		@Override
		public boolean isInTransaction() {
			return false;
		}

		@Override
		public void admit(String lockName, long token, String holder) {
		}

		@Override
		public void check() {
			if (this.broken) {
				throw new IllegalStateException("Table 'lock_fence' is missing");
			}
		}

	}

}
