package io.github.redislock.benchmarks.redis;

/**
 * The traffic through a {@link RedisProxy}.
 *
 * @param requests the number of requests of clients, where a script is one request even
 * if it calls many commands
 * @param messages the number of messages to subscribers, where a message counts once for
 * each subscriber that receives it
 */
public record Traffic(long requests, long messages) {

	public Traffic since(Traffic before) {
		return new Traffic(this.requests - before.requests, this.messages - before.messages);
	}

}
