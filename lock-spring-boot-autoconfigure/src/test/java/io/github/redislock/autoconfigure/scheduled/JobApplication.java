package io.github.redislock.autoconfigure.scheduled;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An instance of an application with a single job.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class JobApplication {

	/**
	 * Run in a separate process.
	 * @param arguments port of Redis, class of the job
	 */
	public static void main(String... arguments) throws ClassNotFoundException {
		start("127.0.0.1", Integer.parseInt(arguments[0]), Class.forName(arguments[1]));
	}

	static ConfigurableApplicationContext start(String host, int port, Class<?> job) {
		return new SpringApplicationBuilder(JobApplication.class, job).web(WebApplicationType.NONE)
			.run("--spring.data.redis.host=" + host, "--spring.data.redis.port=" + port,
					"--spring.data.redis.repositories.enabled=false", "--redis-lock.checks=off",
					// For a busy machine.
					"--redis-lock.command-timeout=10s", "--spring.main.banner-mode=off");
	}

}
