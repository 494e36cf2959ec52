package io.github.redislock.autoconfigure;

import java.util.Map;

import io.github.redislock.LockConfiguration;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class InstanceIdTests {

	@Test
	void idContainsApplicationHostAndProcess() {
		assertThat(InstanceId.of("orders", Map.of("HOSTNAME", "web-1"), 4711)).isEqualTo("orders@web-1:4711");
		assertThat(InstanceId.of("orders", Map.of("COMPUTERNAME", "PC"), 4711)).isEqualTo("orders@PC:4711");
	}

	@Test
	void idWorksWithoutApplicationAndHost() {
		assertThat(InstanceId.of(null, Map.of(), 4711)).isEqualTo("application@pid-4711");
	}

	@Test
	void idReplacesCharactersReservedForTokens() {
		assertThat(InstanceId.of("my app/1\n@x", Map.of("HOSTNAME", "a b/c"), 1)).isEqualTo("my-app-1-x@a-b-c:1");
	}

	@Test
	void longIdIsCutToAtMost128Characters() {
		String id = InstanceId.of("a".repeat(200), Map.of("HOSTNAME", "h".repeat(300)), Long.MAX_VALUE);

		assertThat(id).hasSizeLessThanOrEqualTo(128).startsWith("aaa").contains("@hhh").endsWith(":" + Long.MAX_VALUE);
		LockConfiguration.defaults().instance(id);
	}

	@Test
	void idIsNotCutInsideASurrogatePair() {
		String letter = "\ud840\udc00";

		String id = InstanceId.of("a".repeat(59) + letter + "a", Map.of("HOSTNAME", letter.repeat(99)), 1);

		assertThat(id).startsWith("a".repeat(59) + "@" + letter);
		LockConfiguration.defaults().instance(id);
	}

}
