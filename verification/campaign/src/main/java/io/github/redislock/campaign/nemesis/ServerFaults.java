package io.github.redislock.campaign.nemesis;

import java.util.List;
import java.util.Random;

import io.github.redislock.campaign.deployment.Cluster;
import io.github.redislock.campaign.deployment.Deployment;
import io.github.redislock.campaign.deployment.Sentinels;
import io.github.redislock.campaign.worker.Pause;
import io.github.redislock.testing.RedisProcess;

/**
 * Faults of servers.
 */
final class ServerFaults {

	private ServerFaults() {
	}

	static void freeze(Field field, Random random) {
		field.onServers((servers) -> freeze(servers.victims(random), random, 0.2, 1.7));
	}

	static void kill(Field field, Random random) {
		field.onServers((servers) -> kill(servers.victims(random), random, 0, 0.5));
	}

	static void freezeTooMany(Field field, Random random) {
		field.onServers((servers) -> freeze(servers.tooMany(random), random, 2, 4));
	}

	static void killTooMany(Field field, Random random) {
		field.onServers((servers) -> kill(servers.tooMany(random), random, 2, 4));
	}

	static void restartAll(Field field, Random random) {
		field.onServers((servers) -> servers.granting().forEach((server) -> kill(List.of(server), random, 0, 0.05)));
	}

	static void failOver(Field field, Random random) {
		field.onReplicated((servers) -> servers.failOver(servers.master(field.key(random))));
	}

	static void killMaster(Field field, Random random) {
		field.onReplicated((servers) -> {
			RedisProcess master = servers.master(field.key(random));
			servers.replace(master, master::kill);
			Pause.of(Field.time(random, 0, 0.5));
			master.restart();
		});
	}

	static void freezeMaster(Field field, Random random) {
		field.onReplicated((servers) -> {
			RedisProcess master = servers.master(field.key(random));
			servers.replace(master, master::freeze);
			Pause.of(Field.time(random, 0, 0.5));
			master.thaw();
		});
	}

	static void replaceByLagging(Field field, Random random) {
		field.onReplicated((servers) -> {
			RedisProcess master = servers.master(field.key(random));
			// The master loses its replicas but continues to work.
			master.command("ACL", "SETUSER", "default", "-psync", "-sync", "-replconf");
			master.command("CLIENT", "KILL", "TYPE", "replica");
			Pause.of(Field.time(random, 0.2, 0.6));
			servers.takeOver(master);
			Pause.of(Field.time(random, 0, 0.5));
			master.command("ACL", "SETUSER", "default", "+psync", "+sync", "+replconf");
		});
	}

	static void killReplica(Field field, Random random) {
		field.onReplicated((servers) -> kill(List.of(one(servers.replicas(servers.master(field.key(random))), random)),
				random, 0.1, 1));
	}

	static void freezeReplica(Field field, Random random) {
		field
			.onReplicated((servers) -> freeze(List.of(one(servers.replicas(servers.master(field.key(random))), random)),
					random, 0.1, 1.5));
	}

	static void killSentinel(Field field, Random random) {
		field.onServers((servers) -> kill(List.of(one(((Sentinels) servers).sentinels(), random)), random, 0.1, 1));
	}

	static void moveSlot(Field field, Random random) {
		field.onServers((servers) -> ((Cluster) servers).moveSlot(field.key(random),
				() -> Pause.of(Field.time(random, 0.1, 0.8))));
	}

	/**
	 * Send a command to a server that grants locks.
	 */
	static void command(Field field, Random random, String... words) {
		field.onServers((Deployment servers) -> one(servers.granting(), random).command(words));
	}

	private static void freeze(List<RedisProcess> victims, Random random, double from, double to) {
		victims.forEach(RedisProcess::freeze);
		Pause.of(Field.time(random, from, to));
		victims.forEach(RedisProcess::thaw);
	}

	private static void kill(List<RedisProcess> victims, Random random, double from, double to) {
		victims.forEach(RedisProcess::kill);
		Pause.of(Field.time(random, from, to));
		victims.forEach(RedisProcess::relaunch);
		victims.forEach(RedisProcess::awaitReply);
	}

	private static RedisProcess one(List<RedisProcess> servers, Random random) {
		return servers.get(random.nextInt(servers.size()));
	}

}
