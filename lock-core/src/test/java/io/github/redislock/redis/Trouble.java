package io.github.redislock.redis;

import io.github.redislock.testing.RedisProcess;

/**
 * The fault of a master that will be replaced.
 */
enum Trouble {

	CRASH {
		@Override
		void begin(RedisProcess node) {
			node.kill();
		}
	},

	/** Its connections stay open without replies. */
	FREEZE {
		@Override
		void begin(RedisProcess node) {
			node.freeze();
		}
	};

	abstract void begin(RedisProcess node);

	/**
	 * Resume or restart the master.
	 */
	static void end(RedisProcess node) {
		if (node.isAlive()) {
			node.thaw();
		}
		else {
			node.restart();
		}
	}

}
