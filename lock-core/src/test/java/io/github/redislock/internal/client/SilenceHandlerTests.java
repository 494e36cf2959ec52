package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.channel.embedded.EmbeddedChannel;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class SilenceHandlerTests {

	@Test
	void silentConnectionIsClosed() {
		Duration limit = Duration.ofMillis(50);
		EmbeddedChannel channel = new EmbeddedChannel(new SilenceHandler(limit));
		long begin = System.nanoTime();
		channel.writeOutbound("first");
		channel.writeInbound("reply");
		Awaitility.await().until(() -> channel.runScheduledPendingTasks() == -1);
		assertThat(channel.isOpen()).isTrue();
		assertThat(Duration.ofNanos(System.nanoTime() - begin)).isGreaterThanOrEqualTo(limit);

		channel.writeOutbound("second");

		Awaitility.await().until(() -> {
			channel.runScheduledPendingTasks();
			return !channel.isOpen();
		});
		assertThat(channel.outboundMessages()).containsExactly("first", "second");
		assertThat(channel.inboundMessages()).containsExactly("reply");
	}

	@Test
	void checkOfAnEarlierRequestDoesNotEndTheWaitOfALaterOne() {
		EmbeddedChannel channel = new EmbeddedChannel(new SilenceHandler(Duration.ofMinutes(1)));
		channel.freezeTime();
		channel.writeOutbound("first");
		channel.writeInbound("reply");
		channel.writeOutbound("second");

		channel.advanceTimeBy(1, TimeUnit.MINUTES);
		channel.runScheduledPendingTasks();

		assertThat(channel.isOpen()).isTrue();
	}

}
