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
	LEADER("redis.lock.leadership.leader", Meter.Type.GAUGE, "1 while this instance leads, otherwise 0",
			"Which instance leads, and is there one at all?"),

	/**
	 * How often this instance became the leader.
	 */
	GRANTS("redis.lock.leadership.grants", Meter.Type.COUNTER, "How often this instance became the leader",
			"How often does the leader change?"),

	/**
	 * How many calls this instance skipped because it did not lead.
	 */
	SKIPPED("redis.lock.leadership.skipped", Meter.Type.COUNTER,
			"Calls that were skipped because this instance did not lead", "Do the other instances skip the work?");

	private final String meterName;

	private final Meter.Type type;

	private final String description;

	private final String question;

	LeadershipMeterDocumentation(String meterName, Meter.Type type, String description, String question) {
		this.meterName = meterName;
		this.type = type;
		this.description = description;
		this.question = question;
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

	/**
	 * Return the description of the meter in the registry.
	 */
	String description() {
		return this.description;
	}

	/**
	 * Return the operator's question that the meter answers.
	 */
	String question() {
		return this.question;
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
