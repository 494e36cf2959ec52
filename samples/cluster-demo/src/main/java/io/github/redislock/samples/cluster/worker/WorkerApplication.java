package io.github.redislock.samples.cluster.worker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * An application whose instances contend for one lock.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class WorkerApplication {

	public static void main(String[] args) {
		SpringApplication.run(WorkerApplication.class, args).getBean(Worker.class).workForEver();
	}

}
