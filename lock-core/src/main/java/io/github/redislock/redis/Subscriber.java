package io.github.redislock.redis;

/**
 * Subscribes to a channel of Redis.
 */
@FunctionalInterface
interface Subscriber {

	/**
	 * Subscribe, and again by itself whenever the connection was lost. Blocks until the
	 * first connection is there.
	 * @param channel the channel
	 * @param events told on any thread what happens; never blocks
	 * @return ends the subscription
	 * @throws RuntimeException of the client, if Redis cannot be reached or refuses
	 */
	Runnable subscribe(String channel, Events events);

	/**
	 * What happens to a subscription.
	 */
	interface Events {

		/**
		 * Messages arrive from now on. Told again after each interruption.
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
