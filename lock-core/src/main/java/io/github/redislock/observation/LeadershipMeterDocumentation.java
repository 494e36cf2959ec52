package io.github.redislock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;

/**
 * The meters of leadership.
 */
public enum LeadershipMeterDocumentation implements MeterDocumentation {

	/**
	 * Whether this instance leads.
	 */
	LEADER("redis.lock.leadership.leader", Meter.Type.GAUGE, "1 while this instance leads, otherwise 0"),

	/**
	 * How often this instance became the leader.
	 */
	GRANTS("redis.lock.leadership.grants", Meter.Type.COUNTER, "How often this instance became the leader"),

	/**
	 * How many calls this instance skipped because it did not lead.
	 */
	SKIPPED("redis.lock.leadership.skipped", Meter.Type.COUNTER,
			"Calls that were skipped because this instance did not lead");

	private final String meterName;

	private final Meter.Type type;

	private final String description;

	LeadershipMeterDocumentation(String meterName, Meter.Type type, String description) {
		this.meterName = meterName;
		this.type = type;
		this.description = description;
	}

	@Override
	public String getName() {
		return this.meterName;
	}

	@Override
	public Meter.Type getType() {
		return this.type;
	}

	@Override
	public KeyName[] getKeyNames() {
		return KeyNames.values();
	}

	String description() {
		return this.description;
	}

	/**
	 * The tags of all leadership meters.
	 */
	public enum KeyNames implements KeyName {

		/**
		 * The role.
		 */
		ROLE;

		@Override
		public String asString() {
			return "role";
		}

	}

}
