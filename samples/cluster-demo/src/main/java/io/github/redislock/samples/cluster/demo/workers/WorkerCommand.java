package io.github.redislock.samples.cluster.demo.workers;

import java.nio.file.Path;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.worker.WorkerApplication;

import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails;
import org.springframework.boot.data.redis.autoconfigure.DataRedisConnectionDetails.Standalone;
import org.springframework.core.env.Environment;
import org.springframework.stereotype.Component;

/**
 * The command that starts a worker: the Java executable and class path of this JVM, the
 * addresses of Redis and the demonstration, and the worker's settings.
 */
@Component
class WorkerCommand {

	private final DemoProperties properties;

	private final DataRedisConnectionDetails redis;

	private final Environment environment;

	WorkerCommand(DemoProperties properties, DataRedisConnectionDetails redis, Environment environment) {
		this.properties = properties;
		this.redis = redis;
		this.environment = environment;
	}

	ProcessBuilder of(String name) {
		Standalone server = this.redis.getStandalone();
		if (server == null) {
			throw new IllegalStateException("The demonstration needs a single Redis, at spring.data.redis.host");
		}
		ProcessBuilder command = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx128m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-cp", System.getProperty("java.class.path"),
				WorkerApplication.class.getName(), "--spring.profiles.active=worker", "--worker.name=" + name,
				"--worker.demo=http://127.0.0.1:" + this.environment.getProperty("local.server.port"),
				"--worker.hang-chance=" + this.properties.hangChance(), "--worker.hang-for=" + this.properties.hang(),
				"--worker.step=" + this.properties.lease().dividedBy(10),
				"--redis-lock.timeout=" + this.properties.lease(), "--spring.data.redis.host=" + server.getHost(),
				"--spring.data.redis.port=" + server.getPort());
		if (this.properties.broken()) {
			command.command().add("--redis-lock.key-prefix=" + name + ":");
		}
		// Do not pass credentials as arguments, because other users of the machine may be
		// able to read those.
		if (this.redis.getUsername() != null) {
			command.environment().put("SPRING_DATA_REDIS_USERNAME", this.redis.getUsername());
		}
		if (this.redis.getPassword() != null) {
			command.environment().put("SPRING_DATA_REDIS_PASSWORD", this.redis.getPassword());
		}
		return command;
	}

}
