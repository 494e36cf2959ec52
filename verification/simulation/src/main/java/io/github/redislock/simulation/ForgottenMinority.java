package io.github.redislock.simulation;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiPredicate;

/**
 * Sends each release and withdrawal to a server only once.
 */
final class ForgottenMinority implements Mistake {

	@Override
	public BiPredicate<String, List<byte[]>> forgotten() {
		Set<String> told = new HashSet<>();
		return (script, arguments) -> (script.startsWith("WITHDRAW") || script.startsWith("RELEASE"))
				&& !told.add(script + request(script, arguments));
	}

	private static String request(String script, List<byte[]> arguments) {
		Asker withdrawn = Asker.of(script, arguments);
		return (withdrawn != null) ? withdrawn.request() : Words.text(arguments.get(1));
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return List.of(Fault.LOST_QUESTIONS, Fault.SILENCE_TO_SERVER, Fault.CRASHED_REDIS, Fault.PAUSED_REDIS);
	}

}
