package io.github.redislock.simulation;

import java.util.Set;
import java.util.stream.Collectors;

import io.github.redislock.simulation.redis.StoredKey;

/**
 * A script that another caller runs neither ends an exclusive lock nor changes its owner,
 * and gives no expiry to a lock that has none, unless it releases the lock by force. The
 * rule does not check the {@code take} and {@code free} scripts.
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
			if (before == null || before.shared() || owners.contains(before.owner())) {
				return;
			}
			StoredKey after = evaluation.keysAfter().get(name);
			if (!before.owner().equals(Holding.owner(after))) {
				broken("'%s' was %s's before %s of another caller, and then %s's".formatted(name, before.owner(),
						evaluation.script(), Holding.owner(after)));
			}
			else if (!stored.expires() && after != null && after.expires() && !evaluation.server().hasLostExpiry()) {
				broken("'%s' of %s never expired before %s of another caller, but now expires".formatted(name,
						before.owner(), evaluation.script()));
			}
		});
	}

}
