package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A request that was withdrawn never holds the lock again. One that was released may, if
 * a question of it was late, and is withdrawn then; or if a copy was, of which nobody
 * knows.
 */
final class ClosedStaysClosed extends Rule {

	/** How forgetful each server was when an owner was withdrawn, or released. */
	private final Map<String, Integer> withdrawn = new HashMap<>();

	private final Map<String, Integer> released = new HashMap<>();

	/** Have the lock again. */
	private final Set<String> again = new LinkedHashSet<>();

	/** Asked when nobody remembers any more that they were withdrawn. */
	private final Set<String> tooLate = new HashSet<>();

	/** Of which the instance knew that they had to be withdrawn. */
	private final Set<String> takenBack = new LinkedHashSet<>();

	ClosedStaysClosed(World world) {
		super(world);
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		if (script.startsWith("WITHDRAW")) {
			this.takenBack.add(Words.text(arguments.get(0)));
		}
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		Server server = evaluation.server();
		if (world().setting().servers() > 1) {
			// There each question has a name of its own, and all have one owner token.
			return;
		}
		noteLateness(evaluation);
		for (byte[] key : evaluation.keys()) {
			String name = new String(key, StandardCharsets.ISO_8859_1);
			String holder = LockNames.isLock(name) ? Holding.owner(evaluation.keysAfter().get(name)) : null;
			if (holder != null) {
				requireOpen(server, name, holder);
			}
		}
		String script = evaluation.script();
		if (!evaluation.done()) {
			return;
		}
		if (script.startsWith("WITHDRAW") || script.startsWith("RELEASE") || script.equals("YIELD")) {
			String owner = Words.text(evaluation.arguments().get(0));
			boolean withdrawal = script.startsWith("WITHDRAW");
			String keep = script.equals("YIELD") ? "0" : Words.text(evaluation.arguments().get(withdrawal ? 3 : 2));
			// A lock that stays closed for a while is its last owner's until then.
			if (keep.equals("0")) {
				(withdrawal ? this.withdrawn : this.released).put(server.name() + owner, server.forgetful());
			}
		}
	}

	private void noteLateness(Server.Evaluation evaluation) {
		int asker = evaluation.script().equals("YIELD") ? 2 : 0;
		if (asker == 2 || evaluation.script().startsWith("ACQUIRE")) {
			long timeToLive = Long.parseLong(Words.text(evaluation.arguments().get(asker + 2)));
			if (timeToLive > 0 && evaluation.age() > timeToLive * 1_000_000) {
				this.tooLate.add(Words.text(evaluation.arguments().get(asker)));
			}
		}
	}

	private void requireOpen(Server server, String lock, String holder) {
		if (this.tooLate.contains(holder) || isCallersOwn(holder)) {
			return;
		}
		Integer present = server.forgetful();
		if (present.equals(this.withdrawn.get(server.name() + holder))) {
			broken("%s has '%s' on %s although it was withdrawn there".formatted(holder, lock, server.name()));
		}
		if (present.equals(this.released.get(server.name() + holder)) && world().counts().of("question copied") == 0
				&& !server.hasFailedOver()) {
			// A replica may know it as one that waits.
			this.again.add(holder);
		}
	}

	/**
	 * Return whether an owner token is a caller's own, and says nothing of a single
	 * request: its callers may be several, and each asks anew if it hears of its lock
	 * when that is over.
	 */
	private boolean isCallersOwn(String owner) {
		return world().attempts().stream().anyMatch((attempt) -> owner.equals(attempt.ask().terms().owner()));
	}

	@Override
	void calm() {
		for (String owner : this.again) {
			if (world().isAlive(owner) && !this.takenBack.contains(owner)) {
				broken("%s was given a lock after it had released it, and its instance has not taken that back"
					.formatted(owner));
			}
		}
	}

}
