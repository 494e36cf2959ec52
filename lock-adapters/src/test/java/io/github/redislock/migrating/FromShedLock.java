package io.github.redislock.migrating;

import java.time.Duration;

import io.github.redislock.LockContext;
import io.github.redislock.LockOperations;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.shedlock.DistributedLockProvider;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.spring.annotation.SchedulerLock;

import org.springframework.context.annotation.Bean;
import org.springframework.scheduling.annotation.Scheduled;

import static io.github.redislock.annotation.IfLocked.SKIP;

class FromShedLock {

	private final Catalogue catalogue;

	private final LockOperations locks;

	FromShedLock(Catalogue catalogue, LockOperations locks) {
		this.catalogue = catalogue;
		this.locks = locks;
	}

	@Bean
	LockProvider lockProvider(RedisLockTemplate locks) {
		return new DistributedLockProvider(locks);
	}

	@Scheduled(cron = "0 */15 * * * *")
	@DistributedLock(name = "import", ifLocked = SKIP, timeout = "1m", atLeastFor = "10m")
	public void importCatalogue() {
		this.catalogue.importAll();
	}

	@Scheduled(cron = "0 */15 * * * *")
	@DistributedLock(name = "import", ifLocked = SKIP, timeout = "14m", atLeastFor = "10m", autoRenew = false)
	public void importAsShedLockDid() {
		LockContext.current().renew(Duration.ofMinutes(14));
		this.catalogue.importAll();
	}

	@Scheduled(cron = "0 */15 * * * *")
	@SchedulerLock(name = "import", lockAtMostFor = "14m", lockAtLeastFor = "10m")
	@DistributedLock(name = "import", ifLocked = SKIP, timeout = "1m", atLeastFor = "10m")
	public void importUnderBoth() {
		this.catalogue.importAll();
	}

	void withoutAFramework() {
		LockOptions once = LockOptions.options()
			.timeout(Duration.ofMinutes(1))
			.retry(0)
			.atLeastFor(Duration.ofMinutes(10));
		this.locks.execute(LockTarget.of("import"), once, this.catalogue::importAll);
	}

}
