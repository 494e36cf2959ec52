package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;

import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.deployment.Topology;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.RedisProcess;

/**
 * How the leadership of a process ends.
 */
public enum Overthrow {

	/** It resigns. */
	RESIGN {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.order("resign");
		}
	},

	/** It crashes, and starts again. */
	KILL_9 {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.replace();
		}
	},

	/** It is stopped. */
	SIGSTOP {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.freeze(length);
		}
	},

	/** It no longer reaches Redis. */
	CUT_OFF {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.network().isolate();
			Pause.of(length);
			leader.network().flow();
		}
	},

	/** Redis is stopped for all. */
	REDIS_STOPPED {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			List<RedisProcess> granting = servers.granting();
			granting.forEach(RedisProcess::freeze);
			Pause.of(length);
			granting.forEach(RedisProcess::thaw);
		}
	},

	/** The master crashes, and a replica is promoted. */
	MASTER_KILLED {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			ServerFaults.killMaster(new Field(servers, List.of(leader), null, length, Duration.ZERO, 1), new Random());
		}
	};

	/**
	 * Return what is possible with a topology.
	 */
	public static Set<Overthrow> of(Topology topology) {
		Set<Overthrow> possible = EnumSet.allOf(Overthrow.class);
		// Replicas would replace stopped masters.
		possible.remove(topology.isReplicated() ? REDIS_STOPPED : MASTER_KILLED);
		return possible;
	}

	/**
	 * Return the name for a table.
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("kill 9", "kill -9");
	}

	/**
	 * End the leadership this way, and repair what was broken.
	 * @param length how long it stays broken
	 */
	public abstract void strike(Child leader, Deployment servers, Duration length);

}
