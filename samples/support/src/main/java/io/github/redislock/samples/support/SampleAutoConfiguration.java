package io.github.redislock.samples.support;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnResource;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Makes a sample clean up after itself.
 */
@AutoConfiguration
@ConditionalOnWebApplication
class SampleAutoConfiguration {

	/**
	 * Return a bean that checks the property itself. A condition would be evaluated at
	 * build time if the sample is built ahead of time.
	 */
	@Bean
	MavenWatch mavenWatch(@Value("${samples.end-with-maven:false}") boolean startedByMaven) {
		return new MavenWatch(startedByMaven);
	}

	/**
	 * Makes sure that Tomcat's directories are deleted even if the JVM is killed.
	 */
	@Configuration(proxyBeanMethods = false)
	@ConditionalOnResource(resources = "file:/bin/sh")
	static class TomcatFolders {

		@Bean
		Watchdog tomcatWatchdog() throws IOException {
			return Watchdog.start();
		}

		@Bean
		WebServerFactoryCustomizer<TomcatServletWebServerFactory> tomcatFolders(Watchdog tomcatWatchdog)
				throws IOException {
			Path documents = Files.createDirectory(tomcatWatchdog.folder().resolve("documents"));
			return (tomcat) -> {
				tomcat.setBaseDirectory(tomcatWatchdog.folder().toFile());
				tomcat.setDocumentRoot(documents.toFile());
			};
		}

	}

}
