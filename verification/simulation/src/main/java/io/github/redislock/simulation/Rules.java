package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;

/**
 * Creates the rules.
 */
final class Rules {

	private Rules() {
	}

	static List<Rule> all(World world, NothingLeft nothingLeft) {
		return new ArrayList<>(List.of(new Exclusion(world), new RisingTokens(world), new LossTold(world),
				new BoundedWaiting(world), new TrueRefusal(world), new SoundStructure(world), new EveryoneServed(world),
				nothingLeft, new ClosedStaysClosed(world), new NoNeedlessTombstone(world), new TrueRelease(world),
				new TurnEndsByForce(world), new ForceHeard(world), new InterruptHeard(world), new SameLockAgain(world),
				new StaysClosed(world), new TrueDeadlock(world), new TrueLoss(world), new RenewedHoldLasts(world),
				new PromptHandOver(world), new ServedInOrder(world), new KeptByOthers(world)));
	}

}
