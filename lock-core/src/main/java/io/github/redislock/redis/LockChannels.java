package io.github.redislock.redis;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.github.redislock.redis.client.Subscriber.Subscription;
import org.jspecify.annotations.Nullable;

/**
 * The channels of locks to which an {@link Inbox} listens one by one if it cannot
 * subscribe to a pattern. Thread-safe.
 * <p>
 * Subscriptions are changed without the monitor: a client may hold its own lock when it
 * reports an event, and need that lock to change a subscription.
 */
final class LockChannels {

	/** Above this number, the least recently used channel is dropped. */
	static final int MOST = 1_000;

	/** A waiting caller asks about once a second. */
	private static final long KEPT_NANOS = TimeUnit.MINUTES.toNanos(1);

	/**
	 * When each channel was last used, the least recent first. Guarded by this object's
	 * monitor.
	 */
	private final Map<String, Long> askedAt = new LinkedHashMap<>();

	/**
	 * Listen to a channel.
	 * @param subscription the current one; without one, the next will include the channel
	 */
	void hear(String channel, long now, @Nullable Subscription subscription) {
		boolean present;
		synchronized (this) {
			// Removed first, to go to the end.
			present = this.askedAt.remove(channel) != null;
			this.askedAt.put(channel, now);
		}
		if (!present && subscription != null) {
			subscription.add(channel);
			leave(now, subscription);
		}
	}

	/**
	 * Listen to all channels on a new subscription.
	 */
	void hearAgain(Subscription subscription) {
		List<String> present;
		synchronized (this) {
			present = List.copyOf(this.askedAt.keySet());
		}
		present.forEach(subscription::add);
	}

	/**
	 * Unsubscribe from channels that are no longer used.
	 */
	void leave(long now, Subscription subscription) {
		for (String channel : takeOld(now)) {
			subscription.remove(channel);
			// Another thread may have used it before it was removed.
			if (isPresent(channel)) {
				subscription.add(channel);
			}
		}
	}

	private synchronized List<String> takeOld(long now) {
		List<String> old = new ArrayList<>();
		Iterator<Map.Entry<String, Long>> longestAgo = this.askedAt.entrySet().iterator();
		while (longestAgo.hasNext()) {
			Map.Entry<String, Long> next = longestAgo.next();
			if (this.askedAt.size() <= MOST && now - next.getValue() < KEPT_NANOS) {
				break;
			}
			old.add(next.getKey());
			longestAgo.remove();
		}
		return old;
	}

	private synchronized boolean isPresent(String channel) {
		return this.askedAt.containsKey(channel);
	}

}
