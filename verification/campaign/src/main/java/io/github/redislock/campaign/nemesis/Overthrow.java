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
 * A way to end the leadership of a process.
 */
public enum Overthrow {

	/** The leader resigns. */
	RESIGN {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.order("resign");
		}
	},

	/** The leader crashes and starts again. */
	KILL_9 {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.replace();
		}
	},

	/** The leader's process is stopped. */
	SIGSTOP {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.freeze(length);
		}
	},

	/** The leader cannot reach Redis. */
	CUT_OFF {
		@Override
		public void strike(Child leader, Deployment servers, Duration length) {
			leader.network().isolate();
			Pause.of(length);
			leader.network().flow();
		}
	},

	/** Redis is stopped, for all processes. */
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

	public static Set<Overthrow> of(Topology topology) {
		Set<Overthrow> possible = EnumSet.allOf(Overthrow.class);
		// If a master is stopped, a replica replaces it.
		possible.remove(topology.isReplicated() ? REDIS_STOPPED : MASTER_KILLED);
		return possible;
	}

	public String label() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ').replace("kill 9", "kill -9");
	}

	/**
	 * End the leadership in this way, and repair the damage.
	 * @param length the time until the repair
	 */
	public abstract void strike(Child leader, Deployment servers, Duration length);

}
