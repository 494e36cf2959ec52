package io.github.redislock.autoconfigure;

import java.nio.file.Path;
import java.time.Duration;

import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockTarget;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.NeedsRedisServer;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.TestCertificate;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A Redis that requires a client certificate, and whose own certificate is only in an SSL
 * bundle.
 */
@NeedsRedisServer
class SslBundleTests {

	@ParameterizedTest
	@ValueSource(strings = { "lettuce", "jedis" })
	void locksUseTheSslBundle(String client, @TempDir Path directory) {
		TestCertificate certificate = TestCertificate.create(directory, "localhost");
		int port = RedisProcess.freePort();
		try (RedisProcess redis = RedisProcess.start(certificate.redisOptions(port))) {
			new ApplicationContextRunner()
				.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
						RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class))
				.withPropertyValues(
						"spring.ssl.bundle.pem.redis.truststore.certificate=file:" + certificate.certificate(),
						"spring.ssl.bundle.pem.redis.keystore.certificate=file:" + certificate.certificate(),
						"spring.ssl.bundle.pem.redis.keystore.private-key=file:" + certificate.key(),
						"spring.data.redis.client-type=" + client, "spring.data.redis.host=localhost",
						"spring.data.redis.port=" + port, "spring.data.redis.ssl.bundle=redis")
				.run((context) -> {
					try (LockHandle lock = context.getBean(RedisLockTemplate.class)
						.acquire(LockTarget.of("job"), LockOptions.options().waitTime(Duration.ofSeconds(20)))) {
						assertThat(redis.command("EXISTS", "distributed_lock:job")).isEqualTo(1L);
					}
				});
		}
	}

}
