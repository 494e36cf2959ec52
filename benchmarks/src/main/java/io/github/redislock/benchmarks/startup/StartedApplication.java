package io.github.redislock.benchmarks.startup;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import com.sun.management.OperatingSystemMXBean;
import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.contender.LockClient;
import io.github.redislock.benchmarks.worker.Message;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.data.redis.core.StringRedisTemplate;

/**
 * An application that starts, calls two methods under a lock, prints how much CPU time
 * its process has used and how many classes it has loaded, and ends at once.
 */
@SpringBootApplication
public class StartedApplication {

	private static final int PARTS = 50;

	/**
	 * Start the application.
	 * @param arguments the contender, and the host and port of Redis
	 */
	public static void main(String... arguments) {
		PrintStream reply = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		System.setOut(System.err);
		String host = arguments[1];
		int port = Integer.parseInt(arguments[2]);
		SpringApplication application = new SpringApplication(StartedApplication.class);
		application.addInitializers(StartedApplication::addParts);
		ConfigurableApplicationContext context = application.run("--spring.data.redis.host=" + host,
				"--spring.data.redis.port=" + port);
		call(context, arguments[0], new ClientSettings(host, port, ClientSettings.USUAL_LEASE, false));
		OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
		reply.println(Message.of("ok")
			.with("cpu", TimeUnit.NANOSECONDS.toMillis(system.getProcessCpuTime()))
			.with("classes", ManagementFactory.getClassLoadingMXBean().getTotalLoadedClassCount()));
		Runtime.getRuntime().halt(0);
	}

	private static void addParts(ConfigurableApplicationContext context) {
		for (int part = 0; part < PARTS; part++) {
			((GenericApplicationContext) context).registerBean("part" + part, Part.class);
		}
	}

	/**
	 * Call two methods. The limit sends the same number of requests, without a lock.
	 */
	private static void call(ConfigurableApplicationContext context, String contender, ClientSettings settings) {
		Orders orders = context.getBean(Orders.class);
		StringRedisTemplate redis = context.getBean(StringRedisTemplate.class);
		redis.opsForValue().set("started", contender);
		if (contender.equals(Contenders.OURS)) {
			orders.pay(1);
			orders.ship("here");
		}
		else if (contender.equals(Contenders.RAW)) {
			under(redis, () -> orders.pay(1));
			under(redis, () -> orders.ship("here"));
		}
		else {
			LockClient locks = Contenders.named(contender).open(settings);
			locks.execute("payment", () -> orders.pay(1));
			locks.execute("shipping", () -> orders.ship("here"));
		}
	}

	private static void under(StringRedisTemplate redis, Runnable section) {
		redis.opsForValue().setIfAbsent("raw", "held", ClientSettings.USUAL_LEASE);
		section.run();
		redis.delete("raw");
	}

	/**
	 * One of the beans without locks.
	 */
	static class Part {

		private int calls;

		int count() {
			return ++this.calls;
		}

		String name(String prefix) {
			return prefix + count();
		}

	}

}
