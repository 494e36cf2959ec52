package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import io.github.redislock.testing.FaultProxy;
import io.github.redislock.testing.FaultProxy.Cut;

/**
 * The connections of a process to all or some of the servers.
 */
final class Network implements AutoCloseable {

	private final Map<Integer, FaultProxy> ways;

	private Network(Map<Integer, FaultProxy> ways) {
		this.ways = ways;
	}

	static Network before(List<Integer> ports) {
		Map<Integer, FaultProxy> ways = new TreeMap<>();
		ports.forEach((port) -> ways.put(port, FaultProxy.before(port)));
		return new Network(ways);
	}

	Map<Integer, Integer> routes() {
		return this.ways.entrySet()
			.stream()
			.collect(Collectors.toMap(Map.Entry::getKey, (way) -> way.getValue().port()));
	}

	/**
	 * Return all or some of the connections, for a fault that affects these together.
	 */
	Network part(Random random) {
		if (random.nextBoolean() || this.ways.size() == 1) {
			return this;
		}
		List<Integer> ports = new ArrayList<>(this.ways.keySet());
		Collections.shuffle(ports, random);
		Map<Integer, FaultProxy> some = new TreeMap<>(this.ways);
		some.keySet().retainAll(ports.subList(0, 1 + random.nextInt(ports.size() - 1)));
		return new Network(some);
	}

	void isolate() {
		each(FaultProxy::isolate);
	}

	void flow() {
		each(FaultProxy::flow);
	}

	void drop() {
		each(FaultProxy::drop);
	}

	void refuse() {
		each(FaultProxy::refuse);
	}

	void holdRequests() {
		each(FaultProxy::holdRequests);
	}

	void holdReplies() {
		each(FaultProxy::holdReplies);
	}

	void holdMessages() {
		each(FaultProxy::holdMessages);
	}

	void cutClients(Cut cut) {
		each((way) -> way.cutClients(cut));
	}

	void cutSubscriptions(Cut cut) {
		each((way) -> way.cutSubscriptions(cut));
	}

	void delay(Duration delay) {
		each((way) -> way.delay(delay));
	}

	@Override
	public void close() {
		each(FaultProxy::close);
	}

	private void each(Consumer<FaultProxy> fault) {
		this.ways.values().forEach(fault);
	}

}
