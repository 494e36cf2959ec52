package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * Writes down what happens to a subscription.
 */
record RecordedEvents(List<String> story) implements Subscriber.Events {

	@Override
	public void subscribed() {
		this.story.add("subscribed");
	}

	@Override
	public void interrupted() {
		this.story.add("interrupted");
	}

	@Override
	public void message(byte[] message) {
		this.story.add(new String(message, StandardCharsets.UTF_8));
	}

}
