package io.github.redislock.samples.cluster.worker;

import java.io.PrintStream;
import java.time.Duration;

import io.github.redislock.HandOverKind;
import io.github.redislock.HeldLock;
import io.github.redislock.LockListener;
import io.github.redislock.samples.cluster.message.Kind;
import io.github.redislock.samples.cluster.message.Report;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.stereotype.Component;

/**
 * Reports events to the demonstration, one per line.
 */
@Component
class Reports implements LockListener {

	private final PrintStream out = System.out;

	private final JsonMapper json;

	Reports(JsonMapper json) {
		this.json = json;
	}

	void say(Kind kind, long token, String text) {
		this.out.println(this.json.writeValueAsString(new Report(kind, token, text)));
	}

	@Override
	public void acquired(HeldLock lock, Duration waited, HandOverKind from) {
		if (from == HandOverKind.REMOTE) {
			say(Kind.HANDED_OVER, lock.fencingToken(), "was handed the lock");
		}
	}

	@Override
	public void renewed(HeldLock lock) {
		say(Kind.RENEWED, lock.fencingToken(), "renewed the lease");
	}

}
