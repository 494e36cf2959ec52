package io.github.redislock.campaign.failover;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

import io.github.redislock.testing.RedisProcess;

/**
 * What happens to a master, and how it comes back.
 */
enum Blow {

	/** Killed, and later started again as a replica, or with its data on a quorum. */
	KILL {

		@Override
		void strike(Site site, RedisProcess master, List<Way> instances) {
			master.kill();
		}

		@Override
		void undo(Site site, RedisProcess master, List<Way> instances) {
			site.revive(master);
		}

	},

	/**
	 * Cut off together with the first instance, which reaches no other server, from
	 * everything else.
	 */
	PARTITION {

		@Override
		void strike(Site site, RedisProcess master, List<Way> instances) {
			int port = site.knownAs(master);
			site.cutOff(master);
			instances.get(0).loseAllBut(port);
			instances.stream().skip(1).forEach((other) -> other.lose(port));
		}

		@Override
		void undo(Site site, RedisProcess master, List<Way> instances) {
			site.reconnect(master);
			instances.forEach(Way::flow);
		}

		@Override
		List<Integer> served(int instances) {
			return super.served(instances).stream().skip(1).toList();
		}

	},

	/** Stopped, and continued after it was replaced. */
	PAUSE {

		@Override
		void strike(Site site, RedisProcess master, List<Way> instances) {
			master.freeze();
		}

		@Override
		void undo(Site site, RedisProcess master, List<Way> instances) {
			master.thaw();
		}

	};

	abstract void strike(Site site, RedisProcess master, List<Way> instances);

	abstract void undo(Site site, RedisProcess master, List<Way> instances);

	/**
	 * Return the numbers of the instances that cannot reach the failed master, so that a
	 * grant to one of them comes from another master.
	 */
	List<Integer> served(int instances) {
		return IntStream.range(0, instances).boxed().toList();
	}

	String label() {
		return name().toLowerCase(Locale.ROOT);
	}

	static Blow named(String label) {
		return Arrays.stream(values())
			.filter((blow) -> blow.label().equals(label))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException("Unknown fault '" + label + "'"));
	}

}
