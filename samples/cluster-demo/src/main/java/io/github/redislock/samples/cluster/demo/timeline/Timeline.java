package io.github.redislock.samples.cluster.demo.timeline;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import io.github.redislock.samples.cluster.message.Kind;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.context.ApplicationEventPublisher;
import org.springframework.stereotype.Component;

/**
 * Collects the latest events in the order in which they are reported, and logs most of
 * them. All times come from one clock.
 * <p>
 * Each worker reports through its own pipe, so a release and the next acquisition may
 * arrive in either order. Thread-safe. Publishes {@link Update updates} one after the
 * other.
 */
@Component
public class Timeline {

	private static final int REMEMBERED = 1_000;

	private static final Set<Kind> UNLOGGED = EnumSet.of(Kind.RENEWED, Kind.HANDED_OVER, Kind.DONE);

	private static final Log logger = LogFactory.getLog(Timeline.class);

	private final ApplicationEventPublisher publisher;

	private final long beginning = System.nanoTime();

	private final Deque<DemoEvent> events = new ArrayDeque<>();

	private Counters counters = Counters.NONE;

	private long lastId;

	Timeline(ApplicationEventPublisher publisher) {
		this.publisher = publisher;
	}

	public synchronized void record(Kind kind, String source, long token, String text) {
		this.lastId++;
		DemoEvent event = new DemoEvent(this.lastId, now(), kind, source, Long.toString(token), text);
		this.events.add(event);
		if (this.events.size() > REMEMBERED) {
			this.events.remove();
		}
		this.counters = this.counters.plus(kind);
		if (!UNLOGGED.contains(kind)) {
			logger.info("%-9s | %s".formatted(source, text));
		}
		this.publisher.publishEvent(new Update(event, this.counters));
	}

	public synchronized Snapshot snapshot() {
		return new Snapshot(now(), this.counters, List.copyOf(this.events));
	}

	private long now() {
		return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - this.beginning);
	}

}
