package io.github.redislock.observation;

import java.util.Set;

import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.config.MeterFilter;
import io.micrometer.core.instrument.distribution.DistributionStatisticConfig;

/**
 * Configures buckets for the timers whose percentiles the dashboard shows.
 */
final class Percentiles implements MeterFilter {

	private static final Set<String> TIMERS = Set.of("redis.lock.acquire", "redis.lock.usage");

	@Override
	public DistributionStatisticConfig configure(Meter.Id id, DistributionStatisticConfig config) {
		return TIMERS.contains(id.getName())
				? DistributionStatisticConfig.builder().percentilesHistogram(true).build().merge(config) : config;
	}

}
