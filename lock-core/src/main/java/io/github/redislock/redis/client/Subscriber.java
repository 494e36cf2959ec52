package io.github.redislock.redis.client;

import java.util.List;
import java.util.concurrent.CompletionStage;

/**
 * Subscribes to channels of Redis.
 */
@FunctionalInterface
public interface Subscriber {

	/**
	 * Subscribe, and again by itself whenever the connection was lost. Blocks until the
	 * first connection is there.
	 * @param channels the channels, the one without which nothing works first; or as many
	 * patterns, if the first one {@linkplain #isPattern is one}
	 * @param events called on any thread; never blocks
	 * @return the subscription
	 * @throws RuntimeException of the client, if Redis cannot be reached or refuses
	 */
	Subscription subscribe(List<String> channels, Events events);

	/**
	 * Return whether this is a pattern for channels that begin in the same way.
	 */
	static boolean isPattern(String channel) {
		return channel.endsWith("*");
	}

	/**
	 * A subscription that goes on until it is ended.
	 */
	interface Subscription {

		/**
		 * Ask whether the connection is alive, which TCP by itself notices only after
		 * minutes.
		 * @return fails if there was no reply
		 */
		CompletionStage<?> ping();

		/**
		 * Begin to receive the messages of one more channel, also after each
		 * interruption. Does not wait, and what is refused is only logged.
		 */
		default void add(String channel) {
		}

		/**
		 * Begin to receive those of an {@linkplain #add added} channel no more. Does not
		 * wait.
		 */
		default void remove(String channel) {
		}

		/**
		 * Begin to receive no more.
		 * @return completes when that is done
		 */
		CompletionStage<?> end();

	}

	/**
	 * What happens to a subscription.
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
		 * What was to be subscribed to could not be. It is tried again until the
		 * subscription is ended.
		 */
		void failed(Throwable failure);

		/**
		 * A message has come.
		 */
		void message(byte[] message);

	}

}
