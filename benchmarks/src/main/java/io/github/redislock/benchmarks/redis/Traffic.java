package io.github.redislock.benchmarks.redis;

/**
 * What went through a {@link RedisProxy}.
 *
 * @param requests what clients sent; a script is one, whatever it calls
 * @param messages what Redis pushed to subscribers; one for each that received it
 */
public record Traffic(long requests, long messages) {

	/**
	 * Return what happened since an earlier moment.
	 * @param before the traffic until then
	 * @return the difference
	 */
	public Traffic since(Traffic before) {
		return new Traffic(this.requests - before.requests, this.messages - before.messages);
	}

}
