package io.github.redislock.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.internal.client.Subscriber.Events;
import io.github.redislock.internal.client.Subscriber.Subscription;
import io.github.redislock.memory.ManualLockTimer;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RealTime;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Runs in virtual time and without threads.
 */
class InboxTests {

	/** Shorter than any time that an inbox measures. */
	private static final Duration MOMENT = Duration.ofNanos(1);

	private final List<Fake> subscriptions = new ArrayList<>();

	private final AtomicInteger attempts = new AtomicInteger();

	private final ManualLockTimer timer = new ManualLockTimer();

	private boolean reachable = true;

	private Executor ending = Runnable::run;

	@AutoClose
	private final Inbox inbox = new Inbox("inbox", "news", this::subscribe, this.timer::nanoTime, Runnable::run);

	/** So that no time can be mistaken for a duration. */
	@BeforeEach
	void startLater() {
		this.timer.advance(Duration.ofDays(1));
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void subscriptionThatStaysInterruptedIsRestarted(boolean byWaiter) {
		Runnable again = byWaiter ? this.inbox::open : this.inbox::openForHolder;
		Fake first = opened(1);

		first.events().interrupted();
		assertThat(this.inbox.isOpen()).isFalse();
		this.timer.advance(Duration.ofSeconds(5));
		again.run();
		assertThat(first.ended()).as("it may come back by itself").isNotDone();

		this.timer.advance(Duration.ofSeconds(1));
		again.run();
		assertThat(first.ended()).isDone();
		assertThat(this.subscriptions).as("left alone for a second").hasSize(1);
		this.timer.advance(Duration.ofSeconds(1));
		again.run();
		assertThat(this.subscriptions).hasSize(2);
	}

	@Test
	void subscriptionWithASilentlyDeadConnectionIsRestarted() {
		Fake first = opened(1);

		die(first);

		assertThat(first.ended()).isDone();
		this.timer.advance(Duration.ofSeconds(1).minus(MOMENT));
		assertThat(tryAgain()).as("left alone for a second").isEqualTo(1);
		this.timer.advance(MOMENT);
		opened(2);
	}

	@Test
	void failureOfSeveralChecksCountsOnce() {
		Fake first = opened(1);
		for (int check = 0; check < 2; check++) {
			this.timer.advance(Duration.ofSeconds(1));
			this.inbox.open();
		}
		assertThat(first.pings()).hasValue(2);

		first.pong().completeExceptionally(new IllegalStateException("dead"));

		this.timer.advance(Duration.ofSeconds(1));
		opened(2);
	}

	@Test
	void subscriptionIsLeftAloneWhileItsClientConnects() {
		List<Runnable> connecting = new ArrayList<>();
		Inbox slow = new Inbox("inbox", "news", this::subscribe, this.timer::nanoTime, connecting::add);

		for (int look = 0; look < 3; look++) {
			slow.open();
			this.timer.advance(Duration.ofSeconds(6));
		}
		assertThat(connecting).hasSize(1);

		connecting.get(0).run();
		this.subscriptions.get(0).events().subscribed();
		assertThat(slow.isOpen()).isTrue();
	}

	@Test
	void subscriptionIsActiveIfAnythingArrivedInTheLastTwoSeconds() {
		Fake open = opened(1);

		this.timer.advance(Duration.ofSeconds(2).minus(MOMENT));
		assertThat(this.inbox.isActive()).isTrue();
		this.timer.advance(MOMENT);
		assertThat(this.inbox.isActive()).isFalse();

		open.pong().complete(null);
		assertThat(this.inbox.isActive()).as("reply to the check").isTrue();
	}

	@Test
	void restoredSubscriptionIsReportedOnce() {
		try (LogRecorder log = LogRecorder.debugOf(Inbox.class.getName())) {
			die(opened(1));
			this.timer.advance(Duration.ofSeconds(1));
			Fake second = opened(2);
			String back = "INFO Subscription to channel 'inbox' is back: locks are handed over by message";
			assertThat(log.lines()).doesNotContain(back);
			second.pong().complete(null);

			for (int look = 0; look < 3; look++) {
				this.timer.advance(Duration.ofSeconds(1));
				this.inbox.open();
			}

			assertThat(log.lines()).containsOnlyOnce(back);
		}
	}

	@Test
	void holdersAreNotifiedOfARestoredSubscriptionButNotOfTheFirst() {
		Heard heard = new Heard();
		this.inbox.listen(heard, false);
		this.reachable = false;
		this.inbox.open();
		this.reachable = true;
		this.timer.advance(Duration.ofSeconds(1));

		Fake first = opened(1);
		assertThat(heard.all()).isEmpty();

		first.events().interrupted();
		assertThat(heard.all()).isEmpty();
		first.events().subscribed();
		assertThat(heard.all()).as("by the client").containsExactly("restored");

		die(first);
		this.timer.advance(Duration.ofSeconds(2));
		opened(2);
		assertThat(heard.all()).as("by a new subscription").containsExactly("restored");
	}

	@Test
	void waitersAreNotifiedWhenMessagesBeginOrStop() {
		Heard heard = new Heard();
		this.inbox.listen(heard, false);

		Fake first = opened(1);
		assertThat(heard.changes()).isEqualTo(1);
		first.events().interrupted();
		assertThat(heard.changes()).isEqualTo(2);
		first.events().subscribed();
		assertThat(heard.changes()).isEqualTo(3);
		die(first);
		assertThat(heard.changes()).isEqualTo(4);
	}

	@Test
	void eventsOfAnAbandonedSubscriptionAreIgnored() {
		Fake old = opened(1);
		die(old);
		this.timer.advance(Duration.ofSeconds(1));
		assertThat(tryAgain()).isEqualTo(2);

		old.events().subscribed();

		assertThat(this.inbox.isOpen()).isFalse();
	}

	@Test
	void grantedLockRetriesAFailedSubscription() {
		this.reachable = false;
		this.inbox.openForHolder();
		assertThat(this.inbox.trouble()).contains("refused");

		this.reachable = true;
		this.timer.advance(Duration.ofSeconds(1).minus(MOMENT));
		this.inbox.openForHolder();
		assertThat(this.attempts).as("left alone for a second").hasValue(1);
		this.timer.advance(MOMENT);
		this.inbox.openForHolder();
		this.subscriptions.get(0).events().subscribed();

		assertThat(this.inbox.trouble()).isNull();
	}

	@Test
	void pausesBetweenFailedSubscriptionsGrowToTenSeconds() {
		try (LogRecorder log = LogRecorder.warningsOf(Inbox.class.getName())) {
			this.reachable = false;
			this.inbox.openForHolder();

			List<Integer> pauses = new ArrayList<>();
			while (pauses.size() < 7) {
				int before = this.attempts.get();
				int seconds = 0;
				while (this.attempts.get() == before) {
					this.timer.advance(Duration.ofSeconds(1));
					seconds++;
					this.inbox.openForHolder();
				}
				pauses.add(seconds);
			}

			assertThat(pauses).containsExactly(1, 2, 4, 8, 10, 10, 10);
			assertThat(log.lines()).as("warned once").hasSize(1);
		}
	}

	@Test
	void waitersCheckTheSubscriptionOnceASecond() {
		Fake open = opened(1);
		this.timer.advance(Duration.ofSeconds(1));
		this.inbox.open();

		this.timer.advance(Duration.ofSeconds(1).minus(MOMENT));
		this.inbox.open();
		assertThat(open.pings()).hasValue(1);
		this.timer.advance(MOMENT);
		this.inbox.open();
		assertThat(open.pings()).hasValue(2);
	}

	@Test
	void holderSendsNoPingWhileTheSubscriptionIsOpen() {
		Fake open = opened(1);
		int pings = open.pings().get();

		// Longer than the interval of checks.
		this.timer.advance(Duration.ofSeconds(1).plus(MOMENT));
		this.inbox.openForHolder();

		assertThat(open.pings()).hasValue(pings);
	}

	@Test
	void subscriptionBesideWhichRequestsAreAnsweredStaysOpen() {
		opened(1);
		this.timer.advance(MOMENT);
		long repliedAt = this.timer.nanoTime();
		this.timer.advance(Duration.ofSeconds(5));

		this.inbox.unanswered(repliedAt);
		assertThat(this.inbox.isOpen()).isTrue();

		this.inbox.unanswered(repliedAt - MOMENT.toNanos());
		assertThat(this.inbox.isOpen()).as("no reply since it was opened").isFalse();
	}

	@Test
	void closeWaitsForTheEndOfTheSubscription() {
		this.ending = (end) -> OwnThread.run(() -> {
			RealTime.elapse(Duration.ofMillis(50));
			end.run();
		});
		Fake open = opened(1);

		this.inbox.close();

		assertThat(open.ended()).isDone();
	}

	/**
	 * Begin that many subscriptions in all, and let the last one succeed.
	 */
	private Fake opened(int count) {
		assertThat(tryAgain()).isEqualTo(count);
		Fake last = this.subscriptions.get(count - 1);
		last.events().subscribed();
		assertThat(this.inbox.isOpen()).isTrue();
		return last;
	}

	/**
	 * Break the connection, which the next check detects.
	 */
	private void die(Fake open) {
		open.pong().completeExceptionally(new IllegalStateException("dead"));
		assertThat(this.inbox.isOpen()).isTrue();
		this.timer.advance(Duration.ofSeconds(1));
		tryAgain();
		assertThat(this.inbox.isOpen()).isFalse();
	}

	/**
	 * Do what a waiter does every second.
	 * @return how many subscriptions were begun
	 */
	private int tryAgain() {
		this.inbox.open();
		return this.subscriptions.size();
	}

	private Subscription subscribe(List<String> channels, Events events) {
		this.attempts.incrementAndGet();
		if (!this.reachable) {
			throw new IllegalStateException("refused");
		}
		Fake subscription = new Fake(events, new CompletableFuture<>(), new CompletableFuture<>(), new AtomicInteger(),
				this.ending);
		this.subscriptions.add(subscription);
		return subscription;
	}

	/**
	 * A subscription that the test controls.
	 */
	private record Fake(Events events, CompletableFuture<Void> pong, CompletableFuture<Void> ended, AtomicInteger pings,
			Executor ending) implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			this.pings.incrementAndGet();
			return this.pong;
		}

		@Override
		public CompletionStage<Void> end() {
			return this.ended.completeAsync(() -> null, this.ending);
		}

	}

}
