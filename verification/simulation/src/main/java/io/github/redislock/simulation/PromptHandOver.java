package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import org.jspecify.annotations.Nullable;

/**
 * Until the first fault, one of the waiting callers gets a lock soon after its release:
 * within 50 ms if all waiting instances receive messages, otherwise within 1.1 s, with
 * the next request of a waiter. Not checked on a quorum, where waiters poll.
 */
final class PromptHandOver extends Rule {

	private static final Duration BY_MESSAGE = Duration.ofMillis(50);

	private static final Duration BY_QUESTION = Duration.ofMillis(1_100);

	/** The number of releases, holds and ended waits of each lock. */
	private final Map<String, Integer> events = new HashMap<>();

	/** Instances that wait for a lock and receive messages. */
	private final Set<String> listening = new HashSet<>();

	PromptHandOver(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		Asker asker = Asker.asking(evaluation.script(), evaluation.arguments());
		if (asker == null || !asker.waits()) {
			return;
		}
		for (byte[] key : evaluation.keys()) {
			String lock = new String(key, StandardCharsets.ISO_8859_1);
			String waiter = asker.owner().substring(0, asker.owner().indexOf('/')) + lock;
			if (LockNames.isLock(lock) && asker.polls()) {
				this.listening.remove(waiter);
			}
			else if (LockNames.isLock(lock)) {
				this.listening.add(waiter);
			}
		}
	}

	@Override
	void given(Attempt attempt, HeldLock handle) {
		note(attempt);
	}

	@Override
	void failed(Attempt attempt, Throwable failure) {
		note(attempt);
	}

	@Override
	void released(Attempt attempt, @Nullable ReleaseOutcome outcome, @Nullable Throwable failure) {
		note(attempt);
		String name = attempt.ask().target().name();
		if (outcome == ReleaseOutcome.RELEASED && !waiting(name).isEmpty()) {
			int event = this.events.getOrDefault(name, 0);
			world().time().after(BY_MESSAGE.toNanos(), () -> check(name, event, true));
			world().time().after(BY_QUESTION.toNanos(), () -> check(name, event, false));
		}
	}

	private void note(Attempt attempt) {
		attempt.ask().target().names().forEach((name) -> this.events.merge(name, 1, Integer::sum));
	}

	private void check(String name, int event, boolean byMessage) {
		List<Attempt> waiting = waiting(name);
		if (event != this.events.getOrDefault(name, 0) || waiting.isEmpty() || !isPromised(name)
				|| (byMessage && !waiting.stream().allMatch((attempt) -> isListening(attempt, name)))) {
			return;
		}
		broken("'%s' was released %d ms ago, but caller %s of %s still waits for it".formatted(name,
				(byMessage ? BY_MESSAGE : BY_QUESTION).toMillis(), waiting.get(0), waiting.get(0).instance()));
	}

	private boolean isListening(Attempt attempt, String name) {
		return attempt.ask().terms().owner() == null
				&& this.listening.contains(attempt.instance().name() + LockNames.lock(name));
	}

	private List<Attempt> waiting(String name) {
		return world().attempts()
			.stream()
			.filter((attempt) -> attempt.isAsking() && !attempt.ask().terms().waitTime().isZero()
					&& attempt.ask().target().names().contains(name))
			.toList();
	}

	/**
	 * Return whether a waiter must get this lock, because the lock is neither held nor
	 * kept closed and no caller wants it together with other locks.
	 */
	private boolean isPromised(String name) {
		return world().isUndisturbed() && !world().isQuorum()
				&& world().attempts()
					.stream()
					.filter((attempt) -> attempt.ask().target().names().contains(name))
					.allMatch((attempt) -> attempt.ask().target().names().size() == 1
							&& attempt.ask().terms().atLeastFor().isZero() && (attempt.isOver() || attempt.isAsking()));
	}

}
