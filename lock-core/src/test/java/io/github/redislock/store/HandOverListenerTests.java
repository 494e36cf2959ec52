package io.github.redislock.store;

import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class HandOverListenerTests {

	@Test
	void turnMakesWaitersSendTheirRequestsAgainByDefault() {
		AtomicInteger changes = new AtomicInteger();
		HandOverListener listener = new HandOverListener() {

			@Override
			public void handedOver(HandOver handOver) {
			}

			@Override
			public void changed() {
				changes.incrementAndGet();
			}

		};

		listener.turnHasCome("request-1");

		assertThat(changes).hasValue(1);
	}

}
