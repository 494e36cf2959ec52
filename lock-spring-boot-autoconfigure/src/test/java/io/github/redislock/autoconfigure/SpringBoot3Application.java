package io.github.redislock.autoconfigure;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;

/**
 * An application that also runs with Spring Boot 3.
 */
@EnableAutoConfiguration
public class SpringBoot3Application {

	/**
	 * Run in a separate process.
	 */
	public static void main(String... arguments) {
		SpringApplication.run(SpringBoot3Application.class, arguments);
	}

}
