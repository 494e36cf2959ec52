package io.github.redislock.samples.cluster.demo;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.event.EventListener;

/**
 * Starts a Redis and several workers that contend for one lock, makes the workers hang or
 * kills them, and shows all of this on a page.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
public class ClusterDemoApplication {

	private static final Log logger = LogFactory.getLog(ClusterDemoApplication.class);

	public static void main(String[] args) {
		SpringApplication.run(ClusterDemoApplication.class, args);
	}

	@EventListener
	void on(WebServerInitializedEvent listening) {
		logger.info("The demonstration is at http://localhost:%d/ and ends with Ctrl-C"
			.formatted(listening.getWebServer().getPort()));
	}

}
