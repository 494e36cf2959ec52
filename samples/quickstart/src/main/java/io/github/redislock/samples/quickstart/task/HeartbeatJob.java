package io.github.redislock.samples.quickstart.task;

import java.time.Instant;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.annotation.IfLocked;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * A job that every instance schedules, and that one instance at a time runs.
 */
@Component
class HeartbeatJob {

	private final HeartbeatRepository heartbeats;

	private final String instance;

	HeartbeatJob(HeartbeatRepository heartbeats, @Value("${quickstart.instance}") String instance) {
		this.heartbeats = heartbeats;
		this.instance = instance;
	}

	// The job takes almost no time. atLeastFor keeps the lock for most of the interval,
	// so that instances that trigger the job later skip it.
	@Scheduled(fixedRateString = "${quickstart.heartbeat.every}")
	@DistributedLock(name = "heartbeat", ifLocked = IfLocked.SKIP, atLeastFor = "${quickstart.heartbeat.at-least-for}")
	public void beat() {
		this.heartbeats.save(new Heartbeat(null, this.instance, Instant.now()));
	}

}
