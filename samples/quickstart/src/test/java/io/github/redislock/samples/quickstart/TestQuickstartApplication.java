package io.github.redislock.samples.quickstart;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.GenericContainer;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.testcontainers.service.connection.ServiceConnection;
import org.springframework.context.annotation.Bean;

/**
 * The quickstart with a Redis in a container: {@code spring-boot:test-run}.
 */
final class TestQuickstartApplication {

	private TestQuickstartApplication() {
	}

	public static void main(String[] args) {
		// Start this before Spring, which could not be stopped while it pulls an image.
		RedisContainer.REDIS.start();
		SpringApplication.from(QuickstartApplication::main).with(RedisContainer.class).run(args);
	}

	@TestConfiguration(proxyBeanMethods = false)
	static class RedisContainer {

		private static final GenericContainer<?> REDIS = container();

		@Bean
		@ServiceConnection(name = "redis")
		GenericContainer<?> redis() {
			return REDIS;
		}

		private static GenericContainer<?> container() {
			List<String> local = localImages();
			String image = RedisImage.choose(local);
			System.out.printf("Starting Redis in a container of image %s%s%n", image,
					local.contains(image) ? "" : ", which has to be pulled first: that takes up to two minutes");
			return new GenericContainer<>(image).withExposedPorts(6379);
		}

		private static List<String> localImages() {
			return DockerClientFactory.instance()
				.client()
				.listImagesCmd()
				.exec()
				.stream()
				.flatMap((image) -> (image.getRepoTags() != null) ? Arrays.stream(image.getRepoTags()) : Stream.empty())
				.toList();
		}

	}

}
