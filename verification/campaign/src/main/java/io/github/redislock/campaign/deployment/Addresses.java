package io.github.redislock.campaign.deployment;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.redislock.testing.SentinelGroup;

/**
 * The addresses at which a process reaches the servers. In front of each server there is
 * a proxy, which simulates network faults.
 *
 * @param topology the topology
 * @param entrances the ports that clients are configured with, from which they discover
 * the others
 * @param routes maps the port of each server to the port at which this process reaches it
 */
public record Addresses(Topology topology, List<Integer> entrances, Map<Integer, Integer> routes) {

	/** The name of the master in Sentinel. */
	public static final String MASTER = SentinelGroup.NAME;

	public Addresses {
		entrances = List.copyOf(entrances);
		routes = Map.copyOf(routes);
	}

	/**
	 * Parse the text that {@link #toString()} returns.
	 * @param text for example {@code SENTINEL 1,2 1:11,2:12,3:13}
	 * @return the addresses
	 */
	public static Addresses parse(String text) {
		String[] words = text.split(" ");
		return new Addresses(Topology.valueOf(words[0]), list(words[1], Integer::valueOf),
				list(words[2], (route) -> route.split(":")).stream()
					.collect(Collectors.toMap((route) -> Integer.valueOf(route[0]),
							(route) -> Integer.valueOf(route[1]))));
	}

	/**
	 * Return the port at which this process reaches a server, which is the server's own
	 * port if there is no proxy in between.
	 */
	public int route(int port) {
		return this.routes.getOrDefault(port, port);
	}

	@Override
	public String toString() {
		return "%s %s %s".formatted(this.topology,
				this.entrances.stream().map(String::valueOf).collect(Collectors.joining(",")),
				this.routes.entrySet()
					.stream()
					.map((route) -> route.getKey() + ":" + route.getValue())
					.collect(Collectors.joining(",")));
	}

	private static <T> List<T> list(String words, Function<String, T> reader) {
		return Arrays.stream(words.split(",")).map(reader).toList();
	}

}
