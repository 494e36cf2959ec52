package io.github.redislock.redis;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.redis.Subscriber.Events;
import io.github.redislock.redis.Subscriber.Subscription;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the seconds that an inbox leaves a Redis alone.
 */
@Tag("fault")
class InboxTests {

	private final List<Fake> subscriptions = new CopyOnWriteArrayList<>();

	private final AtomicInteger attempts = new AtomicInteger();

	private volatile boolean reachable = true;

	private final Inbox inbox = new Inbox("inbox", "news", this::subscribe);

	@AfterEach
	void close() {
		this.inbox.close();
	}

	@Test
	void subscriptionThatDoesNotComeBackIsBegunAnew() {
		openFor(1);

		this.subscriptions.get(0).events().interrupted();

		assertThat(this.inbox.isOpen()).isFalse();
		await("given up").until(() -> tryAgain() == 2);
		assertThat(this.subscriptions.get(0).ended()).isDone();
		openFor(2);
	}

	@Test
	void subscriptionWhoseConnectionHasDiedInSilenceIsBegunAnew() {
		openFor(1);

		this.subscriptions.get(0).pong().completeExceptionally(new IllegalStateException("dead"));

		await("given up").until(() -> tryAgain() == 2);
		assertThat(this.subscriptions.get(0).ended()).isDone();
		openFor(2);
	}

	@Test
	void subscriptionThatWasGivenUpTellsNothingAnyMore() {
		openFor(1);
		Events old = this.subscriptions.get(0).events();
		old.interrupted();
		await("given up").until(() -> tryAgain() == 2);

		old.subscribed();

		assertThat(this.inbox.isOpen()).isFalse();
	}

	@Test
	void subscriptionThatFailedIsTriedAgainByWhoeverIsGrantedALock() {
		this.reachable = false;
		this.inbox.openForHolder();
		await("refused").until(() -> this.inbox.trouble() != null);
		int refused = this.attempts.get();
		this.inbox.openForHolder();
		assertThat(this.attempts).as("left alone for a second").hasValue(refused);

		this.reachable = true;
		await("tried again").until(() -> {
			this.inbox.openForHolder();
			return this.subscriptions.size() == 1;
		});
		this.subscriptions.get(0).events().subscribed();

		assertThat(this.inbox.trouble()).isNull();
	}

	@Test
	void subscriptionThatDoesNotComeBackIsBegunAnewByWhoeverIsGrantedALock() {
		openFor(1);

		this.subscriptions.get(0).events().interrupted();

		await("begun anew").until(() -> {
			this.inbox.openForHolder();
			return this.subscriptions.size() == 2;
		});
	}

	@Test
	void holderDoesNotAskWhileMessagesArrive() {
		openFor(1);
		Fake open = this.subscriptions.get(0);
		int pings = open.pings().get();

		Awaitility.await("longer than between two looks").pollDelay(Duration.ofMillis(1_100)).until(() -> true);
		this.inbox.openForHolder();

		assertThat(open.pings()).hasValue(pings);
	}

	/**
	 * Wait until there are that many subscriptions, and let the last one succeed.
	 */
	private void openFor(int count) {
		await("subscribed").until(() -> tryAgain() == count);
		this.subscriptions.get(count - 1).events().subscribed();
		assertThat(this.inbox.isOpen()).isTrue();
	}

	/**
	 * Do what whoever waits for a lock does once a second.
	 * @return how many subscriptions were begun
	 */
	private int tryAgain() {
		this.inbox.open();
		this.inbox.check();
		return this.subscriptions.size();
	}

	private Subscription subscribe(List<String> channels, Events events) {
		this.attempts.incrementAndGet();
		if (!this.reachable) {
			throw new IllegalStateException("refused");
		}
		Fake subscription = new Fake(events, new CompletableFuture<>(), new CompletableFuture<>(), new AtomicInteger());
		this.subscriptions.add(subscription);
		return subscription;
	}

	private static ConditionFactory await(String what) {
		return Awaitility.await(what).atMost(Duration.ofSeconds(30));
	}

	/**
	 * A subscription that does what a test says.
	 */
	private record Fake(Events events, CompletableFuture<Void> pong, CompletableFuture<Void> ended,
			AtomicInteger pings) implements Subscription {

		@Override
		public CompletionStage<?> ping() {
			this.pings.incrementAndGet();
			return this.pong;
		}

		@Override
		public CompletionStage<?> end() {
			this.ended.complete(null);
			return this.ended;
		}

	}

}
