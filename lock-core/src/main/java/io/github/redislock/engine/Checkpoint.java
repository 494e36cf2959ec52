package io.github.redislock.engine;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Prepares an engine for a checkpoint and restore of its process, perhaps several ones:
 * with CRaC, or as a snapshot of AWS Lambda.
 *
 * @param engine holds no lock while that happens
 */
record Checkpoint(LockEngine engine) implements Resource {

	/**
	 * Return a reference that has to be kept as long as the engine, since the registry
	 * does not keep it.
	 */
	static Object register(LockEngine engine) {
		Checkpoint checkpoint = new Checkpoint(engine);
		Core.getGlobalContext().register(checkpoint);
		return checkpoint;
	}

	@Override
	public void beforeCheckpoint(Context<? extends Resource> context) {
		this.engine.suspend();
	}

	@Override
	public void afterRestore(Context<? extends Resource> context) {
		this.engine.resume();
	}

}
