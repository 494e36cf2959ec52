package io.github.redislock.autoconfigure;

import java.util.concurrent.atomic.AtomicInteger;

import io.github.redislock.annotation.DistributedLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.TestPropertySource;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A test that replaces a bean with locks still starts, because the container does not
 * proxy the replacement.
 */
@ExtendWith(OutputCaptureExtension.class)
@SpringJUnitConfig
@TestPropertySource(properties = "redis-lock.store=in-memory")
class TestOverrideTests {

	@TestBean
	private Payments payments;

	@Autowired
	private AtomicInteger other;

	static Payments payments() {
		return new Payments() {

			@Override
			String pay() {
				return "faked";
			}

		};
	}

	@Test
	void replacedBeanRunsUnlockedWithAWarning(CapturedOutput output) {
		assertThat(this.payments.pay()).isEqualTo("faked");
		assertThat(this.other).hasValue(7);
		assertThat(output).contains("Bean 'payments' is not proxied, probably because a test replaced it");
	}

	static class Payments {

		@DistributedLock("payment")
		String pay() {
			return "paid";
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ImportAutoConfiguration({ RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class,
			DistributedLockAutoConfiguration.class })
	static class Application {

		@Bean
		Payments payments() {
			return new Payments();
		}

		@Bean
		AtomicInteger other() {
			return new AtomicInteger(7);
		}

	}

}
