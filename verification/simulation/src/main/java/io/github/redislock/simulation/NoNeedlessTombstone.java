package io.github.redislock.simulation;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * A caller that stops waiting leaves no tombstone in Redis if all attempts of its request
 * were refused, because none of them can arrive later. An exception is a request for
 * several locks while a release of several locks by the same instance has no reply,
 * because the instance cannot know whether the request was carried out. Not checked for
 * quorums or for clients that repeat requests.
 */
final class NoNeedlessTombstone extends Rule {

	private final Map<String, Questions> requests = new HashMap<>();

	private final Set<String> withdrawn = new HashSet<>();

	/** For each instance, the number of releases of several locks without a reply. */
	private final Map<String, Integer> releases = new HashMap<>();

	NoNeedlessTombstone(World world) {
		super(world);
	}

	@Override
	void asks(String script, List<byte[]> arguments) {
		if (isQuestion(script)) {
			questions(script, arguments).open++;
		}
		else if (script.equals("RELEASE_ALL")) {
			this.releases.merge(instance(Words.text(arguments.get(0))), 1, Integer::sum);
		}
		else if (script.startsWith("WITHDRAW") && !Words.text(arguments.get(1)).equals("0")) {
			Asker asker = Objects.requireNonNull(Asker.of(script, arguments));
			boolean perhapsNotAsked = script.equals("WITHDRAW_ALL")
					&& this.releases.getOrDefault(instance(asker.owner()), 0) > 0;
			// A repeated withdrawal is not checked again.
			if (this.withdrawn.add(asker.request()) && !perhapsNotAsked) {
				requireDoubt(asker.owner(), asker.request());
			}
		}
	}

	@Override
	void replied(String script, List<byte[]> arguments, Object reply) {
		if (isQuestion(script) && reply instanceof List<?> fields) {
			Questions questions = questions(script, arguments);
			questions.open--;
			// A grant does not count as a refusal, because the instance may not recognize
			// it.
			questions.refused &= Long.valueOf(0).equals(fields.get(script.equals("YIELD") ? 1 : 0));
		}
		else if (script.equals("RELEASE_ALL")) {
			this.releases.merge(instance(Words.text(arguments.get(0))), -1, Integer::sum);
		}
	}

	private void requireDoubt(String owner, String request) {
		Setting setting = world().setting();
		Questions questions = this.requests.get(request);
		if (questions != null && questions.open == 0 && questions.refused && !setting.pooled()
				&& setting.servers() == 1) {
			broken("%s leaves a tombstone although all attempts of its request were refused".formatted(owner));
		}
	}

	private Questions questions(String script, List<byte[]> arguments) {
		return this.requests.computeIfAbsent(Objects.requireNonNull(Asker.asking(script, arguments)).request(),
				(id) -> new Questions());
	}

	private static String instance(String owner) {
		return owner.substring(0, owner.indexOf('/'));
	}

	private static boolean isQuestion(String script) {
		return script.startsWith("ACQUIRE") || script.equals("YIELD");
	}

	private static final class Questions {

		private int open;

		private boolean refused = true;

	}

}
