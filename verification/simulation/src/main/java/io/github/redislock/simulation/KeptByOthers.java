package io.github.redislock.simulation;

import java.util.Set;
import java.util.stream.Collectors;

/**
 * A script that another caller runs neither ends an exclusive lock nor changes its owner,
 * unless it releases the lock by force. The rule does not check the {@code take} and
 * {@code free} scripts.
 */
final class KeptByOthers extends Rule {

	KeptByOthers(World world) {
		super(world);
	}

	@Override
	void ran(Server.Evaluation evaluation) {
		if (evaluation.script().equals("FORCE_RELEASE")) {
			return;
		}
		Set<String> owners = evaluation.arguments().stream().map(Words::text).collect(Collectors.toSet());
		Asker asker = Asker.of(evaluation.script(), evaluation.arguments());
		if (asker != null) {
			owners.add(asker.owner());
		}
		evaluation.keysBefore().forEach((name, stored) -> {
			Holding before = LockNames.isLock(name) ? Holding.of(stored) : null;
			if (before != null && !before.shared() && !owners.contains(before.owner())
					&& !before.owner().equals(Holding.owner(evaluation.keysAfter().get(name)))) {
				broken("'%s' was %s's before %s of another caller, and then %s's".formatted(name, before.owner(),
						evaluation.script(), Holding.owner(evaluation.keysAfter().get(name))));
			}
		});
	}

}
