package io.github.redislock.internal.engine;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Prepares an engine for checkpoints and restores of its process, with CRaC or AWS Lambda
 * SnapStart.
 *
 * @param engine the engine, which must not hold or wait for a lock at a checkpoint
 */
record Checkpoint(LockEngine engine) implements Resource {

	/**
	 * Register an engine. The result has to be kept as long as the engine, because the
	 * registry's reference is weak.
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
