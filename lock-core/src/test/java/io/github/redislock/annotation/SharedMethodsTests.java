package io.github.redislock.annotation;

import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockMode;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.CountingStore;
import io.github.redislock.internal.interceptor.declaration.LockSetupException;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.store.LockStore;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Methods with shared locks.
 */
class SharedMethodsTests {

	private static final Map<String, Object> PROPERTIES = Map.of("app.exports", "5");

	@Test
	void lockIsExclusiveByDefault() {
		assertThat(targetOf(Prices::change)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::alone)).isEqualTo(LockTarget.of("prices"));
		assertThat(targetOf(Prices::unlimited)).isEqualTo(LockTarget.of("prices"));
	}

	@Test
	void readModeTargetsTheLockForReading() {
		assertThat(targetOf(Prices::quote)).isEqualTo(LockTarget.of("prices").forReading());
		assertThat(targetOf((prices) -> prices.quoteOne("a:b"))).isEqualTo(LockTarget.of("prices", "a:b").forReading());
	}

	@Test
	void permitsAreParsedFromTextOrAProperty() {
		assertThat(targetOf(Prices::three)).isEqualTo(LockTarget.of("prices").permits(3));
		assertThat(targetOf(Prices::four)).isEqualTo(LockTarget.of("prices").permits(4));
		assertThat(targetOf(Prices::configured)).isEqualTo(LockTarget.of("prices").permits(5));
		assertThat(targetOf((prices) -> prices.three("7"))).isEqualTo(LockTarget.of("prices", "7").permits(3));
	}

	@Test
	void collectionCannotBeTheKeyOfASharedLock() {
		try (LockedContext context = start()) {
			Prices prices = context.get(Prices.class);

			for (Object several : List.of(List.of("a", "b"), List.of("a"), new int[] { 1 }, Stream.of("a"))) {
				assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> prices.quoteOne(several))
					.withMessageContaining(Prices.class.getName() + ".quoteOne(Object)")
					.withMessageContaining("but names one lock: only the whole 'key' of an exclusive lock may be");
			}
			assertThat(prices.calls()).isZero();
		}
	}

	@Test
	void sharedLockOfATypeCanBeOverriddenByAMethod() {
		try (LockedContext context = start()) {
			Catalogue catalogue = context.get(Catalogue.class);

			catalogue.find();
			catalogue.change();

			assertThat(context.locks().targets).containsExactly(LockTarget.of("catalogue").forReading(),
					LockTarget.of("catalogue"));
		}
	}

	@Test
	void storeWithoutSharedLocksFailsStartup() {
		assertThatExceptionOfType(LockSetupException.class).isThrownBy(() -> startWithoutSharedLocks(Catalogue.class))
			.withMessageContaining("Method '" + Catalogue.class.getName() + ".find()' cannot be locked: not shared.");
	}

	@Test
	void methodThatNamesItsTemplateMayUseAnotherStore() {
		assertThatCode(() -> startWithoutSharedLocks(Elsewhere.class)).doesNotThrowAnyException();
	}

	private static LockTarget targetOf(Consumer<Prices> call) {
		try (LockedContext context = start()) {
			call.accept(context.get(Prices.class));
			return context.locks().targets.get(0);
		}
	}

	private static LockedContext start() {
		return LockedContext.of(PROPERTIES, (beans) -> beans.register(Prices.class, Catalogue.class));
	}

	/**
	 * Start an application whose only store has no shared locks.
	 */
	private static void startWithoutSharedLocks(Class<?> bean) {
		LockedContext.of(Map.of(), (beans) -> {
			beans.registerBean(LockStore.class, ExclusiveStore::new);
			beans.register(bean);
		}).close();
	}

	private static final class ExclusiveStore extends CountingStore {

		ExclusiveStore() {
			super(new InMemoryLockStore());
		}

		@Override
		public List<LockTarget> groups(LockTarget target) {
			if (target.isShared()) {
				throw new IllegalArgumentException("not shared");
			}
			return super.groups(target);
		}

	}

	static class Prices {

		private int calls;

		int calls() {
			return this.calls;
		}

		@DistributedLock("prices")
		void change() {
		}

		@DistributedLock(name = "prices", mode = LockMode.EXCLUSIVE)
		void alone() {
		}

		@DistributedLock(name = "prices", permits = "${app.none:}")
		void unlimited() {
		}

		@DistributedLock(name = "prices", mode = LockMode.READ)
		void quote() {
		}

		@DistributedLock(name = "prices", key = "#id", mode = LockMode.READ)
		void quoteOne(Object id) {
			this.calls++;
		}

		@DistributedLock(name = "prices", permits = "3")
		void three() {
		}

		@DistributedLock(name = "prices", key = "#id", permits = "3")
		void three(String id) {
		}

		@DistributedLock(name = "prices", permits = " 4 ")
		void four() {
		}

		@DistributedLock(name = "prices", permits = "${app.exports}")
		void configured() {
		}

	}

	static class Elsewhere {

		@DistributedLock(name = "prices", mode = LockMode.READ, template = "locks")
		void quote() {
		}

	}

	@DistributedLock(name = "catalogue", mode = LockMode.READ)
	static class Catalogue {

		public void find() {
		}

		@DistributedLock("catalogue")
		public void change() {
		}

	}

}
