package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;

import io.github.redislock.LockConfiguration;
import io.github.redislock.internal.engine.SimulatedEngine;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.SimulatedStores;
import io.github.redislock.redis.quorum.SimulatedQuorum;
import io.github.redislock.store.LockStore;

/**
 * One process of an application: the real engine on a host, with connections to the
 * servers.
 */
final class Instance {

	/**
	 * The greatest drift in parts per million. Two clocks differ by less than one
	 * percent.
	 */
	static final int MOST_DRIFT = 4_900;

	private final String name;

	private final Host host;

	private final List<Wire> wires;

	private final SimulatedEngine engine;

	private final List<Runnable> connecting = new ArrayList<>();

	private boolean closed;

	Instance(World world, String name, Chance chance) {
		this.name = name;
		Setting setting = world.setting();
		this.host = new Host(world.time(), chance.split(), chance.between(-MOST_DRIFT, MOST_DRIFT));
		this.wires = world.servers()
			.stream()
			.map((server) -> new Wire(world, name, this.host, server, new Weather(), chance.split(), setting.pooled(),
					setting.commandTimeout()))
			.toList();
		RedisLockStoreOptions options = RedisLockStoreOptions.defaults()
			.commandTimeout(setting.commandTimeout())
			.coldStartQuarantine(setting.quarantine())
			.minAcks(setting.acknowledged() ? world.mistake().minAcks() : 0);
		LockConfiguration configuration = LockConfiguration.defaults()
			.instance(name)
			.warnAfter(Duration.ZERO)
			.closeWait(setting.closeWait())
			.executor(this.host);
		LockStore store = world.mistake().store(store(chance, options), this.host);
		Executor actions = world.mistake().actions(this.host);
		this.engine = new SimulatedEngine(store, configuration, world.mistake().timer(this.host), actions,
				chance.split().generator(), chance.split().secrets(), new ThreadWaits(world.time()));
	}

	private LockStore store(Chance chance, RedisLockStoreOptions options) {
		List<RedisLockStore> stores = this.wires.stream()
			.map((wire) -> SimulatedStores.store(wire, options, new UUID(chance.nextSeed(), chance.nextSeed()),
					this.host::nanoTime, this::connect, this.wires.size() > 1))
			.toList();
		return (stores.size() == 1) ? stores.get(0) : SimulatedQuorum.store(stores, options, this.host::nanoTime,
				chance.split().generator(), new Scheduler(this.host));
	}

	String name() {
		return this.name;
	}

	/**
	 * Return whether this instance made an owner token.
	 */
	boolean owns(String owner) {
		return owner.startsWith(this.name + "/");
	}

	Host host() {
		return this.host;
	}

	List<Weather> weathers() {
		return this.wires.stream().map(Wire::weather).toList();
	}

	List<Wire> wires() {
		return this.wires;
	}

	SimulatedEngine engine() {
		return this.engine;
	}

	boolean isOpen() {
		return !this.closed && !this.host.isDead();
	}

	/**
	 * Shut down in an orderly way, and let time pass until the shutdown has ended.
	 */
	void close() {
		this.closed = true;
		// No thread can wait for a connection in the simulation, so pending connections
		// are completed now.
		List.copyOf(this.connecting).forEach(Runnable::run);
		this.engine.close();
	}

	void crash() {
		this.closed = true;
		this.host.die();
		this.wires.forEach(Wire::close);
	}

	private void connect(Runnable task) {
		Runnable once = new Runnable() {

			@Override
			public void run() {
				if (Instance.this.connecting.remove(this)) {
					task.run();
				}
			}

		};
		this.connecting.add(once);
		this.host.execute(once);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
