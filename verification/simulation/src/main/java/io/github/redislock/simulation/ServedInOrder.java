package io.github.redislock.simulation;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.jspecify.annotations.Nullable;

/**
 * Until the first fault, requests for a single lock are granted in the order in which
 * they began to wait. An instance whose turn is over waits behind the others.
 */
final class ServedInOrder extends Rule {

	/**
	 * The number of keys when the {@code take} script acquires a lock: the lock and its
	 * fence.
	 */
	private static final int KEYS_OF_TAKE = 2;

	/** The waiters of each lock, in the order of arrival. */
	private final Map<String, List<String>> waiting = new HashMap<>();

	private final Map<String, String> holders = new HashMap<>();

	/** The time when each request joined the queue, in microseconds. */
	private final Map<String, Long> joined = new HashMap<>();

	ServedInOrder(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		if (world().isQuorum() || !evaluation.done()) {
			return;
		}
		String script = evaluation.script();
		for (byte[] key : evaluation.keys()) {
			String lock = new String(key, StandardCharsets.ISO_8859_1);
			if (LockNames.isLock(lock)) {
				List<String> line = this.waiting.computeIfAbsent(lock, (name) -> new ArrayList<>());
				if (script.startsWith("WITHDRAW")) {
					line.remove(Asker.leaver(script, evaluation.arguments()));
				}
				noteHolder(lock, line, Holding.of(evaluation.keysAfter().get(lock)));
				noteWaiter(evaluation, line);
			}
		}
	}

	private long joined(String owner) {
		return Objects.requireNonNull(this.joined.get(owner));
	}

	private void noteHolder(String lock, List<String> line, @Nullable Holding holding) {
		if (holding == null) {
			return;
		}
		boolean fresh = !holding.owner().equals(this.holders.put(lock, holding.owner()));
		if (fresh && !holding.shared() && world().isUndisturbed() && line.contains(holding.owner())) {
			long since = joined(holding.owner());
			line.subList(0, line.indexOf(holding.owner()))
				.stream()
				.filter((owner) -> joined(owner) < since)
				.findFirst()
				.ifPresent((owner) -> broken(
						"%s has '%s' before %s, which has waited longer".formatted(holding.owner(), lock, owner)));
		}
		line.remove(holding.owner());
	}

	private void noteWaiter(Server.Evaluation evaluation, List<String> line) {
		boolean yields = evaluation.script().equals("YIELD");
		// Readers get the lock together, several locks are granted when all are free, and
		// the "take" script never queues.
		boolean queued = evaluation.script().equals("ACQUIRE") && evaluation.keys().size() > KEYS_OF_TAKE;
		Asker asker = Asker.asking(evaluation.script(), evaluation.arguments());
		if (asker == null || (!yields && !queued)) {
			return;
		}
		if (evaluation.reply() instanceof List<?> reply && Long.valueOf(0).equals(reply.get(yields ? 1 : 0))) {
			this.joined.putIfAbsent(asker.owner(), world().time().now() / 1_000);
			if (asker.waits() && !line.contains(asker.owner())) {
				line.add(asker.owner());
			}
		}
	}

}
