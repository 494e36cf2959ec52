package io.github.redislock.simulation;

import java.time.Duration;

/**
 * The parts of a world.
 *
 * @param servers the number of servers, which form a quorum if there are several
 * @param instances the number of applications that use the locks
 * @param pooled whether each client has several connections, and repeats requests without
 * a reply
 * @param commandTimeout how long an instance waits for a reply
 * @param quarantine how long a server without data refuses to grant locks
 * @param closeWait how long a closing instance waits for its holders
 * @param acknowledged whether a replica has to acknowledge each grant and renewal
 * @param gap the time between the two halves of the plan
 */
record Setting(int servers, int instances, boolean pooled, Duration commandTimeout, Duration quarantine,
		Duration closeWait, boolean acknowledged, Duration gap) {

	static final Setting USUAL = new Setting(1, 3, false, Duration.ofSeconds(2), Duration.ZERO, Duration.ZERO, false,
			Duration.ZERO);

	Setting servers(int servers) {
		return new Setting(servers, this.instances, this.pooled, this.commandTimeout, this.quarantine, this.closeWait,
				this.acknowledged, this.gap);
	}

	Setting instances(int instances) {
		return new Setting(this.servers, instances, this.pooled, this.commandTimeout, this.quarantine, this.closeWait,
				this.acknowledged, this.gap);
	}

	Setting pooled(boolean pooled) {
		return new Setting(this.servers, this.instances, pooled, this.commandTimeout, this.quarantine, this.closeWait,
				this.acknowledged, this.gap);
	}

	Setting commandTimeout(Duration commandTimeout) {
		return new Setting(this.servers, this.instances, this.pooled, commandTimeout, this.quarantine, this.closeWait,
				this.acknowledged, this.gap);
	}

	Setting quarantine(Duration quarantine) {
		return new Setting(this.servers, this.instances, this.pooled, this.commandTimeout, quarantine, this.closeWait,
				this.acknowledged, this.gap);
	}

	Setting closeWait(Duration closeWait) {
		return new Setting(this.servers, this.instances, this.pooled, this.commandTimeout, this.quarantine, closeWait,
				this.acknowledged, this.gap);
	}

	Setting acknowledged(boolean acknowledged) {
		return new Setting(this.servers, this.instances, this.pooled, this.commandTimeout, this.quarantine,
				this.closeWait, acknowledged, this.gap);
	}

	Setting gap(Duration gap) {
		return new Setting(this.servers, this.instances, this.pooled, this.commandTimeout, this.quarantine,
				this.closeWait, this.acknowledged, gap);
	}

}
