package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.lettuce.core.RedisCommandExecutionException;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

class LettuceSubscriberTests {

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private final List<String> events = new CopyOnWriteArrayList<>();

	@AutoClose
	private final RespServer redis = new RespServer();

	@AutoClose("destroy")
	private final LockConnectionFactory connections = LockConnectionFactory.deriveFrom(this.redis.application(),
			new ClientSettings("test", PATIENCE, 0, false, "lock:", List.of()));

	@Test
	void messagesArriveAgainAfterAnInterruption() {
		this.redis.reply("SUBSCRIBE", "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1");
		subscribe();
		assertThat(this.redis.count("SUBSCRIBE inbox")).isEqualTo(1);
		assertThat(this.redis.count("SUBSCRIBE news")).isEqualTo(1);
		this.redis.send("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$5\r\nfirst");
		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).containsExactly("subscribed", "subscribed", "first"));

		this.redis.cut();

		Awaitility.await()
			.untilAsserted(() -> assertThat(this.events).startsWith("subscribed", "subscribed", "first", "interrupted",
					"subscribed"));
		this.redis.send("*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n$6\r\nsecond");
		Awaitility.await().untilAsserted(() -> assertThat(this.events).endsWith("second"));
		assertThat(this.connections.disconnections()).isZero();
	}

	@Test
	void connectionIsClosedIfRedisRefusesTheSubscription() {
		this.redis.reply("SUBSCRIBE", "-NOPERM this user has no permissions to access one of the channels");

		assertThatExceptionOfType(RedisCommandExecutionException.class).isThrownBy(this::subscribe)
			.withMessageStartingWith("NOPERM");

		Awaitility.await().until(() -> this.redis.open() == 0);
		assertThat(this.redis.opened()).isEqualTo(1);
	}

	@Test
	void subscriptionThatIsOverDoesNotReply() {
		this.redis.reply("SUBSCRIBE", "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1");
		Subscriber.Subscription subscription = subscribe();
		this.redis.reply("PING", "*2\r\n$4\r\npong\r\n$0\r\n");
		assertThat(subscription.ping().toCompletableFuture()).succeedsWithin(PATIENCE);

		assertThat(subscription.end().toCompletableFuture()).succeedsWithin(PATIENCE);

		Awaitility.await().until(() -> this.redis.open() == 0);
		assertThat(subscription.ping().toCompletableFuture()).failsWithin(PATIENCE);
	}

	private Subscriber.Subscription subscribe() {
		return new LettuceSubscriber(this.connections).subscribe(List.of("inbox", "news"),
				new RecordedEvents(this.events));
	}

}
