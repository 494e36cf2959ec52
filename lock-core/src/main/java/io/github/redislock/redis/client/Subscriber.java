package io.github.redislock.redis.client;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Subscribes to channels of Redis.
 */
@FunctionalInterface
public interface Subscriber {

	/**
	 * Subscribe, and again whenever the connection was lost. Blocks until the first
	 * connection is open.
	 * @param channels the channels, the essential one first
	 * @param events called on any thread; never blocks
	 * @return the subscription
	 * @throws RuntimeException of the client, if Redis cannot be reached or refuses
	 */
	Subscription subscribe(List<String> channels, Events events);

	/**
	 * A subscription that goes on until it is ended.
	 */
	interface Subscription {

		/**
		 * Check whether the connection is alive.
		 * @return fails without a reply
		 */
		CompletionStage<?> ping();

		/**
		 * End the subscription.
		 * @return completes when it has ended
		 */
		CompletionStage<Void> end();

	}

	/**
	 * The events of a subscription.
	 */
	interface Events {

		/**
		 * Messages arrive from now on. Called again after each interruption.
		 */
		void subscribed();

		/**
		 * Messages that are sent from now on may be lost.
		 */
		void interrupted();

		/**
		 * A message has come.
		 */
		void message(byte[] message);

	}

}
