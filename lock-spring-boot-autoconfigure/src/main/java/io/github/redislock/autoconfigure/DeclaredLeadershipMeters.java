package io.github.redislock.autoconfigure;

import io.github.redislock.internal.interceptor.LeaderOnlyMethods;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.observation.LeadershipMeters;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the meters of all roles at startup, so that a dashboard also shows instances
 * that do not lead.
 */
final class DeclaredLeadershipMeters implements SmartInitializingSingleton {

	private final MeterRegistry registry;

	private final ObjectProvider<Leadership> leaderships;

	private final ObjectProvider<LeaderOnlyMethods> methods;

	DeclaredLeadershipMeters(MeterRegistry registry, ObjectProvider<Leadership> leaderships,
			ObjectProvider<LeaderOnlyMethods> methods) {
		this.registry = registry;
		this.leaderships = leaderships;
		this.methods = methods;
	}

	@Override
	public void afterSingletonsInstantiated() {
		LeadershipMeters meters = new LeadershipMeters(this.registry);
		this.leaderships.forEach(meters::add);
		this.methods.ifAvailable((leaderOnly) -> leaderOnly.onSkipped(meters::countSkipped));
	}

}
