package io.github.redislock.examples.testing;

import io.github.redislock.LockLostException;
import io.github.redislock.LockNotAcquiredException;
import io.github.redislock.LockStoreException;
import io.github.redislock.test.HeldElsewhere;
import io.github.redislock.test.TestLocks;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class InventoryTests {

	private final TestLocks locks = TestLocks.create();

	private final Inventory inventory = new Inventory(this.locks.template());

	@AfterEach
	void closeLocks() {
		this.locks.close();
	}

	@Test
	void articleIsNotTakenWhileAnotherInstanceHoldsItsLock() {
		HeldElsewhere other = this.locks.holdElsewhere("inventory:apple");

		assertThatExceptionOfType(LockNotAcquiredException.class).isThrownBy(() -> this.inventory.take("apple"));
		assertThat(this.inventory.stock("apple")).isEqualTo(10);

		other.release();
		assertThat(this.inventory.take("apple")).isEqualTo(9);
	}

	@Test
	void lossIsReportedToTheCaller() {
		assertThatExceptionOfType(LockLostException.class)
			.isThrownBy(() -> this.inventory.receive("apple", () -> this.locks.lose("inventory:apple")));
	}

	@Test
	void nothingIsTakenWhileRedisIsDown() {
		this.locks.goDown();

		assertThatExceptionOfType(LockStoreException.class).isThrownBy(() -> this.inventory.take("apple"));

		this.locks.comeBack();
		assertThat(this.inventory.take("apple")).isEqualTo(9);
	}

	@Test
	void requestWithALostReplyIsRepeated() {
		this.locks.loseNextReplyToAcquire();

		assertThat(this.inventory.take("apple")).isEqualTo(9);
	}

	@Test
	void eachArticleHasItsOwnLock() {
		this.inventory.take("apple");
		this.inventory.take("pear");

		assertThat(this.locks.acquired()).containsExactly("inventory:apple", "inventory:pear");
	}

	@Test
	void locksAreTakenInAConsistentOrder() {
		this.inventory.receive("apple", () -> this.inventory.take("pear"));
		this.inventory.receive("pear", () -> this.inventory.take("plum"));

		this.locks.assertConsistentOrder();
	}

	@Test
	void instancesExcludeOneAnother() {
		Inventory otherInstance = new Inventory(this.locks.template());

		this.inventory.receive("apple", () -> assertThatExceptionOfType(LockNotAcquiredException.class)
			.isThrownBy(() -> otherInstance.take("apple")));
	}

}
