package io.github.redislock.campaign.failover;

import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

import io.github.redislock.campaign.deployment.Addresses;
import io.github.redislock.testing.FaultProxy;

/**
 * The proxies through which one instance reaches the servers.
 */
final class Way implements AutoCloseable {

	private final Map<Integer, FaultProxy> proxies = new TreeMap<>();

	private final Addresses addresses;

	Way(Site site) {
		site.ports().forEach((known, port) -> this.proxies.put(known, FaultProxy.before(port)));
		this.addresses = new Addresses(site.topology(), site.entrances(),
				this.proxies.entrySet()
					.stream()
					.collect(Collectors.toMap(Map.Entry::getKey, (proxy) -> proxy.getValue().port())));
	}

	Addresses addresses() {
		return this.addresses;
	}

	/**
	 * Stop all data to and from one server, without ending connections.
	 */
	void lose(int port) {
		Objects.requireNonNull(this.proxies.get(port)).isolate();
	}

	/**
	 * Stop all data to and from all servers but one.
	 */
	void loseAllBut(int port) {
		this.proxies.forEach((known, proxy) -> {
			if (known != port) {
				proxy.isolate();
			}
		});
	}

	/**
	 * End all connections and refuse new ones, as if the process had been killed.
	 */
	void sever() {
		this.proxies.values().forEach(FaultProxy::refuse);
		this.proxies.values().forEach(FaultProxy::drop);
	}

	void flow() {
		this.proxies.values().forEach(FaultProxy::flow);
	}

	@Override
	public void close() {
		this.proxies.values().forEach(FaultProxy::close);
	}

}
