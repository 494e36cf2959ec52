package io.github.redislock.internal.client;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Subscribes to channels of Redis.
 */
@FunctionalInterface
public interface Subscriber {

	/**
	 * Subscribe, and subscribe again whenever the connection is lost. May block until the
	 * first connection is open.
	 * @param channels the channels, the essential one first
	 * @param events receives the events, on any thread; its methods never block
	 * @return the subscription
	 * @throws RuntimeException the client's exception, if this method waits and Redis
	 * cannot be reached or refuses the subscription
	 */
	Subscription subscribe(List<String> channels, Events events);

	/**
	 * A subscription that lasts until it is ended.
	 */
	interface Subscription {

		/**
		 * Check whether the connection is alive.
		 * @return a stage that fails if there is no reply
		 */
		CompletionStage<?> ping();

		/**
		 * End the subscription.
		 * @return a stage that completes when the subscription has ended
		 */
		CompletionStage<Void> end();

	}

	/**
	 * The events of a subscription.
	 */
	interface Events {

		/**
		 * Messages arrive from now on. Called again after each interruption, and perhaps
		 * once for each channel.
		 */
		void subscribed();

		/**
		 * Messages that are sent from now on may be lost.
		 */
		void interrupted();

		/**
		 * A message has arrived.
		 */
		void message(byte[] message);

	}

}
