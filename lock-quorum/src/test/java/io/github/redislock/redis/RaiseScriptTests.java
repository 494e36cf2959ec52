package io.github.redislock.redis;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

import io.github.redislock.internal.client.Script;
import io.github.redislock.internal.client.Script.Priority;
import io.github.redislock.internal.client.Script.Reply;
import io.github.redislock.redis.quorum.QuorumLockStore;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The script of a quorum.
 */
class RaiseScriptTests extends LuaScriptContract {

	static final Script RAISE = Script.read(QuorumLockStore.class, "raise", Reply.NUMBER, Priority.AT_ONCE);

	@Override
	List<Script> scripts() {
		return List.of(RAISE);
	}

	@Override
	Class<?> folder() {
		return QuorumLockStore.class;
	}

	@Test
	void scriptIsListedInTheMetadataOfNativeImages() throws IOException {
		assertThat(new ClassPathResource(
				"META-INF/native-image/io.github.redislock/lock-quorum/reachability-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8))
			.contains("\"glob\": \"io/github/redislock/redis/quorum/*.lua\"");
		assertThat(new ClassPathResource("io/github/redislock/redis/quorum/raise.lua").exists()).isTrue();
	}

}
