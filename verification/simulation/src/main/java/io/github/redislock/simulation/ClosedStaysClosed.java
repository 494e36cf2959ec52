package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.github.redislock.simulation.redis.StoredKey;
import io.github.redislock.simulation.redis.StoredValue;
import org.jspecify.annotations.Nullable;

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
			String holder = LockNames.isLock(name) ? holder(evaluation.keysAfter().get(name)) : null;
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
			(script.startsWith("WITHDRAW") ? this.withdrawn : this.released).put(server.name() + owner,
					server.forgetful());
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
		if (this.tooLate.contains(holder)) {
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

	private static @Nullable String holder(@Nullable StoredKey lock) {
		return (lock != null && lock.value() instanceof StoredValue.Text text) ? text.content() : null;
	}

	@Override
	void calm() {
		for (String owner : this.again) {
			boolean alive = world().instances()
				.stream()
				.anyMatch((instance) -> instance.isOpen() && owner.startsWith(instance.name() + "/"));
			if (alive && !this.takenBack.contains(owner)) {
				broken("%s was given a lock after it had released it, and its instance has not taken that back"
					.formatted(owner));
			}
		}
	}

}
