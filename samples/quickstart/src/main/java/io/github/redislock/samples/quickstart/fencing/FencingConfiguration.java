package io.github.redislock.samples.quickstart.fencing;

import io.github.redislock.fencing.JdbcFence;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

@Configuration(proxyBeanMethods = false)
class FencingConfiguration {

	@Bean
	JdbcFence fence(JdbcTemplate jdbc) {
		return new JdbcFence(jdbc);
	}

}
