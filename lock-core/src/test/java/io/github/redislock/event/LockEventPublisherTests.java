package io.github.redislock.event;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.memory.ManualLockTimer;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.EventListener;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

class LockEventPublisherTests {

	private static final LockOptions SHORT = LockOptions.options().timeout(Duration.ofSeconds(30)).autoRenew(false);

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(
			Application.class);

	private final Application application = this.context.getBean(Application.class);

	private final ManualLockTimer timer = new ManualLockTimer();

	private final LockEventPublisher publisher = new LockEventPublisher(this.context);

	private final LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
			LockConfiguration.defaults().timer(this.timer).listeners(List.of(this.publisher)));

	@AfterEach
	void close() {
		this.application.mayGoOn.countDown();
		this.locks.close();
		this.publisher.close();
		this.context.close();
	}

	@Test
	void lossEventDescribesTheLockAndItsLoss() throws Exception {
		this.application.mayGoOn.countDown();
		LockHandle lock = this.locks.acquire(LockTarget.of("job"), SHORT);

		this.timer.advance(Duration.ofSeconds(30));

		LockLostEvent event = this.application.events.poll(1, MINUTES);
		assertThat(event).isNotNull();
		assertThat(event.lockName()).isEqualTo("job");
		assertThat(event.fencingToken()).isEqualTo(lock.fencingToken());
		assertThat(event.unprotected()).isLessThan(Duration.ofSeconds(1));
		assertThat(event.reason()).contains("lease ran out");
		assertThat(this.application.onDaemonThread).isTrue();
	}

	@Test
	void releaseIsNotPublishedAsALoss() throws Exception {
		this.application.mayGoOn.countDown();
		this.locks.acquire(LockTarget.of("released")).close();
		this.locks.acquire(LockTarget.of("lost"), SHORT);

		this.timer.advance(Duration.ofSeconds(30));

		assertThat(this.application.events.poll(1, MINUTES)).extracting(LockLostEvent::lockName).isEqualTo("lost");
		assertThat(this.application.events).isEmpty();
	}

	@Test
	void blockingAndFailingListenerAffectsNeitherLocksNorLaterEvents() throws Exception {
		this.locks.acquire(LockTarget.of("fails"), SHORT);
		this.locks.acquire(LockTarget.of("works"), SHORT);
		this.timer.advance(Duration.ofSeconds(30));

		// The listener is still busy with the first one.
		this.locks.execute("other", () -> assertThat(this.locks.isLocked(LockTarget.of("other"))).isTrue());
		assertThat(this.application.events).isEmpty();

		this.application.mayGoOn.countDown();
		assertThat(this.application.events.poll(1, MINUTES)).extracting(LockLostEvent::lockName).isEqualTo("works");
	}

	@Test
	void nothingIsPublishedAfterClosing() {
		CountDownLatch mayGoOn = new CountDownLatch(1);
		List<Object> published = new CopyOnWriteArrayList<>();
		LockEventPublisher slow = new LockEventPublisher((event) -> {
			published.add(event);
			try {
				mayGoOn.await();
			}
			catch (InterruptedException ex) {
				throw new IllegalStateException(ex);
			}
		});
		LockTemplate locks = new LockTemplate(new InMemoryLockStore(this.timer),
				LockConfiguration.defaults().timer(this.timer).listeners(List.of(slow)));
		locks.acquire(LockTarget.of("later"), SHORT.timeout(Duration.ofMinutes(1)));
		List<LockHandle> handles = List.of(locks.acquire(LockTarget.of("one"), SHORT),
				locks.acquire(LockTarget.of("two"), SHORT));
		this.timer.advance(Duration.ofSeconds(30));
		assertThat(handles).noneMatch(LockHandle::isHeld);
		Awaitility.await().until(() -> published.size() == 1);

		slow.close();
		mayGoOn.countDown();
		this.timer.advance(Duration.ofSeconds(30));

		Awaitility.await()
			.during(Duration.ofMillis(300))
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(published).hasSize(1));
	}

	@Test
	void interruptOfTheClosingThreadIsKept() {
		this.locks.acquire(LockTarget.of("lost"), SHORT);
		this.timer.advance(Duration.ofSeconds(30));
		Awaitility.await().until(() -> this.application.onDaemonThread != null);

		Thread.currentThread().interrupt();
		this.publisher.close();

		assertThat(Thread.interrupted()).isTrue();
	}

	static class Application {

		private final BlockingQueue<LockLostEvent> events = new LinkedBlockingQueue<>();

		private final CountDownLatch mayGoOn = new CountDownLatch(1);

		private volatile @Nullable Boolean onDaemonThread;

		@EventListener
		void on(LockLostEvent event) throws InterruptedException {
			this.onDaemonThread = Thread.currentThread().isDaemon();
			this.mayGoOn.await();
			if (event.lockName().equals("fails")) {
				throw new IllegalStateException("the listener fails");
			}
			this.events.add(event);
		}

	}

}
