package io.github.redislock.benchmarks.contender;

import java.util.List;

import org.redisson.api.RedissonClient;

import org.springframework.integration.redis.util.RedisLockRegistry.RedisLockType;

/**
 * All contenders.
 */
public final class Contenders {

	/** A fair lock of the JDK: the limit within one process. */
	public static final String LOCAL = "local";

	/** One SET and one script, without contention: the limit for a free lock. */
	public static final String RAW = "raw";

	/** The same with Jedis, whose caller writes and reads itself. */
	public static final String RAW_JEDIS = "raw-jedis";

	/**
	 * One SET and one script behind a fair local lock: the limit if every hold goes
	 * through Redis.
	 */
	public static final String RAW_GATED = "raw-gated";

	/** One script and one message for each hand-over between processes. */
	public static final String RAW_QUEUE = "raw-queue";

	/** One script and one message after at most 16 holds within the process. */
	public static final String RAW_QUEUE_16 = "raw-queue-16";

	public static final String OURS = "ours";

	/** This project, with {@code acquire} and {@code close}. */
	public static final String OURS_ACQUIRE = "ours-acquire";

	/** This project over Jedis. */
	public static final String OURS_JEDIS = "ours-jedis";

	/** This project over Jedis, with {@code acquire} and {@code close}. */
	public static final String OURS_JEDIS_ACQUIRE = "ours-jedis-acquire";

	public static final String REDISSON = "redisson";

	public static final String REDISSON_FAIR = "redisson-fair";

	/** Redisson's lock that polls instead of receiving messages. */
	public static final String REDISSON_SPIN = "redisson-spin";

	/** Spring Integration's registry, which polls by default. */
	public static final String SPRING_SPIN = "spring-spin";

	/** Spring Integration's registry, which receives messages. */
	public static final String SPRING_PUBSUB = "spring-pubsub";

	private static final int LOCAL_PASSES = 16;

	private static final List<Contender> ALL = List.of(new LocalContender(), new RawContender(false),
			new RawJedisContender(), new RawContender(true), new RawQueueContender(RAW_QUEUE, 1),
			new RawQueueContender(RAW_QUEUE_16, LOCAL_PASSES),
			new OurContender(OURS, "Redis Lock", false, OurContender::lettuce),
			new OurContender(OURS_ACQUIRE, "Redis Lock, acquire and close", true, OurContender::lettuce),
			new OurContender(OURS_JEDIS, "Redis Lock over Jedis", false, OurContender::jedis),
			new OurContender(OURS_JEDIS_ACQUIRE, "Redis Lock over Jedis, acquire and close", true, OurContender::jedis),
			new RedissonContender(REDISSON, "Redisson", RedissonClient::getLock),
			new RedissonContender(REDISSON_FAIR, "Redisson fair lock", RedissonClient::getFairLock),
			new RedissonContender(REDISSON_SPIN, "Redisson spin lock", RedissonClient::getSpinLock),
			new SpringIntegrationContender(SPRING_SPIN, "Spring Integration (spin)", RedisLockType.SPIN_LOCK),
			new SpringIntegrationContender(SPRING_PUBSUB, "Spring Integration (pub/sub)", RedisLockType.PUB_SUB_LOCK));

	private Contenders() {
	}

	/**
	 * Return all contenders, with the limits first.
	 */
	public static List<Contender> all() {
		return ALL;
	}

	public static Contender named(String name) {
		return ALL.stream()
			.filter((contender) -> contender.name().equals(name))
			.findFirst()
			.orElseThrow(() -> new IllegalArgumentException(
					"Unknown contender '" + name + "'; choose one of " + ALL.stream().map(Contender::name).toList()));
	}

	/**
	 * Return whether a contender is a lower limit and not a library.
	 */
	public static boolean isLimit(String name) {
		return name.equals(LOCAL) || name.startsWith(RAW);
	}

}
