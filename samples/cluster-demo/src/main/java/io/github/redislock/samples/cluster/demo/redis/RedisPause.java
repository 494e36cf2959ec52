package io.github.redislock.samples.cluster.demo.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import io.github.redislock.samples.cluster.message.Kind;

import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.stereotype.Component;

/**
 * Pauses Redis for all clients for a while.
 */
@Component
public class RedisPause {

	private final StringRedisTemplate redis;

	private final Timeline timeline;

	private final Duration length;

	private final AtomicBoolean paused = new AtomicBoolean();

	RedisPause(StringRedisTemplate redis, Timeline timeline, DemoProperties properties) {
		this.redis = redis;
		this.timeline = timeline;
		this.length = properties.redisPause();
	}

	/**
	 * Begin a pause, unless Redis is already paused.
	 */
	public void begin() {
		if (!this.paused.compareAndSet(false, true)) {
			return;
		}
		try {
			this.redis.execute((connection) -> connection.execute("CLIENT", utf8("PAUSE"),
					utf8(Long.toString(this.length.toMillis())), utf8("ALL")), true);
		}
		catch (RuntimeException ex) {
			this.paused.set(false);
			throw ex;
		}
		this.timeline.record(Kind.REDIS_PAUSED, "redis", 0,
				String.format(Locale.ROOT, "does not reply for %.1f s", this.length.toMillis() / 1e3));
		Executor later = CompletableFuture.delayedExecutor(this.length.toMillis(), TimeUnit.MILLISECONDS);
		later.execute(this::end);
	}

	private void end() {
		this.paused.set(false);
		this.timeline.record(Kind.REDIS_BACK, "redis", 0, "replies again");
	}

	private static byte[] utf8(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

}
