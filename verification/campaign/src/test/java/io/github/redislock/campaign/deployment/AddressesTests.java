package io.github.redislock.campaign.deployment;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class AddressesTests {

	private final Addresses addresses = new Addresses(Topology.SENTINEL, List.of(1, 2), Map.of(1, 11, 2, 12, 3, 13));

	@Test
	void addressesSurviveFormattingAndParsing() {
		assertThat(Addresses.parse(this.addresses.toString())).isEqualTo(this.addresses);
	}

	@Test
	void eachServerIsReachedThroughItsNetwork() {
		assertThat(this.addresses.route(3)).isEqualTo(13);
		assertThat(this.addresses.route(4)).as("a server without one").isEqualTo(4);
	}

}
