package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;

import io.github.redislock.store.HandOver;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InboxMessageTests {

	private final Heard heard = new Heard();

	@Test
	void handOverNamesTheTimeOfTheRequestUnlessItIsTheFirst() {
		deliver("r1 -7 42", false);
		deliver("r1 - 43", false);

		assertThat(this.heard.all()).containsExactly(new HandOver("r1", -7L, 42), new HandOver("r1", null, 43));
	}

	@Test
	void messageWithoutATokenAsksForARequest() {
		deliver("r1 7 0", false);
		// Instances with version 2 of the contract send the whole entry.
		deliver("r2 945 33 inbox an owner/r2 - 0", false);

		assertThat(this.heard.all()).containsExactly("turn of r1", "turn of r2");
	}

	@Test
	void handOverAsksForARequestWhereReplicasHaveToConfirmIt() {
		deliver("r1 7 42", true);

		assertThat(this.heard.all()).containsExactly("turn of r1");
	}

	private void deliver(String message, boolean asksAgain) {
		InboxMessage.deliver(message.getBytes(StandardCharsets.UTF_8), this.heard, asksAgain);
	}

}
