package io.github.redislock.autoconfigure;

import io.github.redislock.leadership.LockLeadership;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.ApplicationListener;

/**
 * Makes an instance a candidate only while it accepts traffic, for roles with
 * {@code resign-when-out-of-service}.
 */
final class CandidacyByReadiness implements ApplicationListener<AvailabilityChangeEvent<ReadinessState>> {

	private final RedisLockProperties.Leadership properties;

	private final ObjectProvider<LockLeadership> leaderships;

	CandidacyByReadiness(RedisLockProperties.Leadership properties, ObjectProvider<LockLeadership> leaderships) {
		this.properties = properties;
		this.leaderships = leaderships;
	}

	@Override
	public void onApplicationEvent(AvailabilityChangeEvent<ReadinessState> event) {
		boolean ready = event.getState() == ReadinessState.ACCEPTING_TRAFFIC;
		this.leaderships.stream()
			.filter((leadership) -> followsReadiness(leadership.role()))
			.forEach((leadership) -> change(leadership, ready));
	}

	private boolean followsReadiness(String role) {
		RedisLockProperties.Role settings = this.properties.role(role);
		return settings.enabled() && settings.resignWhenOutOfService();
	}

	private static void change(LockLeadership leadership, boolean ready) {
		if (ready) {
			leadership.start();
			return;
		}
		leadership.stop(() -> {
			// The application does not wait until the role is resigned.
		});
	}

}
