package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.testing.RealTime;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Transports;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class ClientThreadsTests {

	@Test
	void closeWaitsForTheThreadOfTheNetwork() {
		AtomicBoolean ended = new AtomicBoolean();
		ClientThreads threads = new ClientThreads();
		ClientResources resources = threads.resources().build();
		resources.eventLoopGroupProvider().allocate(Transports.eventLoopGroupClass()).execute(() -> {
			RealTime.elapse(Duration.ofMillis(100));
			ended.set(true);
		});

		threads.close();
		resources.shutdown();

		assertThat(ended).isTrue();
	}

}
