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
 * What ends the leadership of a process.
 */
public enum Overthrow {

	/** It resigns. */
	RESIGN {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.order("resign");
		}
	},

	/** It crashes, and begins anew. */
	KILL_9 {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.replace();
		}
	},

	/** It stands still. */
	SIGSTOP {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.freeze(length);
		}
	},

	/** It reaches Redis no longer. */
	CUT_OFF {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.network().isolate();
			Pause.of(length);
			leader.network().flow();
		}
	},

	/** Redis stands still for all. */
	REDIS_STOPPED {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			List<RedisProcess> granting = servers.granting();
			granting.forEach(RedisProcess::freeze);
			Pause.of(length);
			granting.forEach(RedisProcess::thaw);
		}
	},

	/** The master crashes, and a replica takes its place. */
	MASTER_KILLED {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			ServerFaults.killMaster(new Field(servers, List.of(leader), null, length, Duration.ZERO, 1), new Random());
		}
	};

	/**
	 * Return what is possible with such servers.
	 */
	public static Set<Overthrow> of(Topology topology) {
		Set<Overthrow> possible = EnumSet.allOf(Overthrow.class);
		// Replicas would take the place of masters that stand still.
		possible.remove(topology.isReplicated() ? REDIS_STOPPED : MASTER_KILLED);
		return possible;
	}

	/**
	 * Return how to name it in a table.
	 */
	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("kill 9", "kill -9");
	}

	/**
	 * Do it, and mend it.
	 * @param length for how long
	 */
	public abstract void strike(Child leader, Deployment servers, Duration length);

}
