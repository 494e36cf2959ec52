package io.github.redislock.internal.client;

import java.nio.charset.StandardCharsets;

import io.github.redislock.redis.RedisLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptTests {

	@Test
	void sharedPartsReplaceTheLineThatIncludesThem() throws Exception {
		Script script = Script.read(RedisLockStore.class, "inspect", Script.Reply.LIST, Script.Priority.ACQUISITION);

		assertThat(script.text()).isEqualToIgnoringNewLines(
				file("inspect").replace("-- include: fence, hold\n", file("lib/fence") + file("lib/hold")));
	}

	private static String file(String name) throws Exception {
		return new ClassPathResource(name + ".lua", RedisLockStore.class).getContentAsString(StandardCharsets.UTF_8);
	}

}
