package io.github.redislock.internal.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.ArrayList;
import java.util.List;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.LeaderOnly;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * An application has hundreds of beans. The methods of those without declarations must
 * not be searched one by one while it starts.
 */
class DistributedLockSourceTests {

	private final DistributedLockSource source = new DistributedLockSource();

	@ParameterizedTest
	@ValueSource(classes = { Plain.class, Marked.class, Runnable.class, Object.class, ArrayList.class, int.class })
	void typesWithoutDeclarationsAreNotSearched(Class<?> type) {
		assertThat(this.source.isCandidate(type)).isFalse();
	}

	@ParameterizedTest
	@ValueSource(classes = { Declared.class, Hidden.class, Inherited.class, FromInterface.class, Composed.class,
			OnType.class, BelowType.class, Leads.class, TopFace.class })
	void typesWithDeclarationsAtAnyPlaceAreSearched(Class<?> type) {
		assertThat(this.source.isCandidate(type)).isTrue();
	}

	@Test
	void anotherTypeOfTheSameHierarchyIsNoReasonToSearch() {
		assertThat(this.source.isCandidate(Inherited.class)).isTrue();
		assertThat(this.source.isCandidate(Above.class)).isFalse();
	}

	static class Above {

		public void run() {
		}

	}

	static class Plain extends Above implements Comparable<Plain> {

		@Override
		public int compareTo(Plain other) {
			return 0;
		}

	}

	@FunctionalInterface
	interface Marked {

		@Deprecated
		void run();

	}

	static class Declared extends Above {

		@Override
		@DistributedLock("declared")
		public void run() {
		}

	}

	static class Hidden {

		@DistributedLock("hidden")
		void run() {
		}

	}

	static class Inherited extends Declared {

		@Override
		public void run() {
		}

	}

	interface TopFace {

		@DistributedLock("face")
		default List<String> names() {
			return List.of();
		}

	}

	interface MiddleFace extends TopFace {

	}

	static class Implementation implements MiddleFace {

	}

	static class FromInterface extends Implementation {

		@Override
		public List<String> names() {
			return List.of("own");
		}

	}

	@Retention(RetentionPolicy.RUNTIME)
	@DistributedLock("composed")
	@interface Exclusive {

	}

	static class Composed {

		@Exclusive
		public void run() {
		}

	}

	@DistributedLock("type")
	static class OnType {

	}

	static class BelowType extends OnType {

		public void run() {
		}

	}

	static class Leads {

		@LeaderOnly("mailer")
		public void run() {
		}

	}

}
