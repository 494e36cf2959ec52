package io.github.redislock.autoconfigure;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.annotation.DistributedLock;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.core.StringRedisTemplate;
import org.springframework.scheduling.annotation.EnableScheduling;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An application in a separate process that works under a lock in a web request, in a
 * scheduled job, and on a thread that Spring does not manage. The work ignores interrupts
 * and lasts until the standard input ends. Redis records which work has ended.
 */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@EnableScheduling
public class TerminatedApplication {

	/**
	 * The beginning of the line with the port of the web server.
	 */
	static final String PORT = "port ";

	private static final CompletableFuture<Void> END = new CompletableFuture<>();

	/**
	 * Run in a separate process.
	 */
	public static void main(String... arguments) throws IOException {
		ConfigurableApplicationContext context = SpringApplication.run(TerminatedApplication.class, arguments);
		Work work = context.getBean(Work.class);
		new Thread(work::ofThread).start();
		System.out.println(PORT + ((WebServerApplicationContext) context).getWebServer().getPort());
		System.in.transferTo(System.out);
		END.complete(null);
	}

	/**
	 * Work of a given length.
	 */
	@RestController
	public static class Work {

		private final StringRedisTemplate redis;

		Work(StringRedisTemplate redis) {
			this.redis = redis;
		}

		@GetMapping("/")
		@DistributedLock(name = "request", timeout = "10m")
		public String ofRequest() {
			workUntilTheEnd("request");
			return "done";
		}

		@Scheduled(fixedDelay = 3_600_000)
		@DistributedLock(name = "job", timeout = "10m")
		public void ofJob() {
			workUntilTheEnd("job");
		}

		@DistributedLock(name = "thread", timeout = "10m")
		public void ofThread() {
			workUntilTheEnd("thread");
		}

		private void workUntilTheEnd(String name) {
			END.join();
			this.redis.opsForValue().set("ended:" + name, "true");
		}

	}

}
