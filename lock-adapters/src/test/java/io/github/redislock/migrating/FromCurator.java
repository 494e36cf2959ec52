package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockLostException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;

import org.springframework.scheduling.annotation.Scheduled;

import static io.github.redislock.annotation.IfLocked.SKIP;

class FromCurator {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromCurator(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	String sell(String sku) {
		LockOptions patient = LockOptions.options().waitTime(Duration.ofSeconds(5));
		return this.locks.execute(LockTarget.of("stock", sku), patient, () -> this.catalogue.sell(sku));
	}

	@Scheduled(fixedDelay = 60_000)
	@DistributedLock(name = "import", ifLocked = SKIP, timeout = "10s")
	public void importAll() {
		this.catalogue.importAll();
	}

	void lead() {
		LockOptions patient = LockOptions.options().timeout(Duration.ofSeconds(10)).waitForever();
		while (!Thread.currentThread().isInterrupted()) {
			try (LockHandle leadership = this.locks.acquire(LockTarget.of("leader"), patient)) {
				while (leadership.isHeld()) {
					this.catalogue.importAll();
				}
			}
			catch (LockLostException ex) {
				// another instance may lead now: wait for the next turn
			}
		}
	}

}
