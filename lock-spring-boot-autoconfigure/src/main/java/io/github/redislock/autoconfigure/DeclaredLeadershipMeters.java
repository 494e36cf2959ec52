package io.github.redislock.autoconfigure;

import io.github.redislock.interceptor.LeaderAdvisor;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.observation.LeadershipMeters;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Registers the meters of all roles at startup, so that a dashboard shows instances that
 * do not lead.
 */
final class DeclaredLeadershipMeters implements SmartInitializingSingleton {

	private final MeterRegistry registry;

	private final ObjectProvider<Leadership> leaderships;

	private final ObjectProvider<LeaderAdvisor> advisor;

	DeclaredLeadershipMeters(MeterRegistry registry, ObjectProvider<Leadership> leaderships,
			ObjectProvider<LeaderAdvisor> advisor) {
		this.registry = registry;
		this.leaderships = leaderships;
		this.advisor = advisor;
	}

	@Override
	public void afterSingletonsInstantiated() {
		LeadershipMeters meters = new LeadershipMeters(this.registry);
		this.leaderships.forEach(meters::add);
		this.advisor.ifAvailable((leaderOnly) -> leaderOnly.onSkipped(meters::countSkipped));
	}

}
