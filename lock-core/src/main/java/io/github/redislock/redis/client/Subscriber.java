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
	 * @param channels the channels, the essential one first; or only patterns, if the
	 * first one {@linkplain #isPattern is one}
	 * @param events called on any thread; never blocks
	 * @return the subscription
	 * @throws RuntimeException of the client, if Redis cannot be reached or refuses
	 */
	Subscription subscribe(List<String> channels, Events events);

	/**
	 * Return whether this is a pattern for a common prefix.
	 */
	static boolean isPattern(String channel) {
		return channel.endsWith("*");
	}

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
		 * Subscribe to one more channel, and again after each interruption. Does not
		 * wait; a refusal is only logged.
		 */
		default void add(String channel) {
		}

		/**
		 * Unsubscribe from an {@linkplain #add added} channel. Does not wait.
		 */
		default void remove(String channel) {
		}

		/**
		 * End the subscription.
		 * @return completes when it has ended
		 */
		CompletionStage<?> end();

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
		 * Subscribing failed. It is tried again until the subscription is ended.
		 */
		void failed(Throwable failure);

		/**
		 * A message has come.
		 */
		void message(byte[] message);

	}

}
