package io.github.redislock.simulation.redis;

/**
 * Receives a server's messages. Each char of a text is one byte (ISO 8859-1).
 */
public interface Channels {

	Channels NONE = new Channels() {

		@Override
		public int publish(String channel, String message) {
			return 0;
		}

		@Override
		public int subscribers(String channel) {
			return 0;
		}

	};

	/**
	 * Send a message. Implementations must not call the server.
	 * @return the number of subscribers
	 */
	int publish(String channel, String message);

	int subscribers(String channel);

}
