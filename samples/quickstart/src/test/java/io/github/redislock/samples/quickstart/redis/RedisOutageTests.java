package io.github.redislock.samples.quickstart.redis;

import java.io.IOException;

import io.github.redislock.samples.quickstart.Callers;
import io.github.redislock.samples.quickstart.Callers.Reply;
import io.github.redislock.samples.support.EmbeddedRedis;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.test.annotation.DirtiesContext;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT)
@DirtiesContext
@Tag("thorough")
class RedisOutageTests {

	@Autowired
	private EmbeddedRedis redis;

	@LocalServerPort
	private int port;

	@Test
	void nothingIsChargedAndCallersGetAnErrorWhileRedisIsDown() throws IOException {
		Callers callers = new Callers(this.port);
		this.redis.close();
		await().until(() -> callers.ask("GET", "/actuator/health").status() == 503);

		Reply reply = callers.ask("POST", "/payments/42");

		assertThat(reply.status()).isEqualTo(503);
		assertThat(reply.text("type")).isEqualTo("urn:problem:redis-did-not-reply");
		assertThat(callers.ask("GET", "/payments/42").body()).isEmpty();
	}

}
