package io.github.redislock.engine;

import org.crac.Context;
import org.crac.Core;
import org.crac.Resource;

/**
 * Prepares an engine for checkpoints and restores of its process, with CRaC or AWS Lambda
 * SnapStart.
 *
 * @param engine holds no lock at that time
 */
record Checkpoint(LockEngine engine) implements Resource {

	/**
	 * Return a reference that has to be kept as long as the engine: the registry's own is
	 * weak.
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
