package io.github.redislock.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisProgram;
import org.awaitility.Awaitility;

import org.springframework.util.FileSystemUtils;

/**
 * A condition that makes a running Redis refuse requests, and that a test can end.
 */
enum RedisTrouble {

	LOADING("is loading its data", true, "key-load-delay 1000", "loading-process-events-interval-bytes 1024") {

		@Override
		void cause(RedisProcess redis) {
			redis.command("DEBUG", "POPULATE", "20000");
			redis.command("SAVE");
			redis.kill();
			redis.relaunch();
			await(redis, "persistence", "loading:1");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("CONFIG", "SET", "key-load-delay", "0");
		}

	},

	BUSY("is busy with another script", true, "lua-time-limit 50") {

		@Override
		void cause(RedisProcess redis) {
			CompletableFuture.runAsync(() -> redis.command("EVAL", "while true do end", "0"), OwnThread::run);
			Awaitility.await("Redis is busy").until(() -> {
				try {
					redis.command("PING");
					return false;
				}
				catch (IllegalStateException ex) {
					return String.valueOf(ex.getMessage()).startsWith("BUSY");
				}
			});
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("SCRIPT", "KILL");
		}

	},

	READONLY("is a read-only replica", true) {

		@Override
		void cause(RedisProcess redis) {
			redis.command("REPLICAOF", "127.0.0.1", "1");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("REPLICAOF", "NO", "ONE");
		}

	},

	MASTERDOWN("lost its master", true, "replica-serve-stale-data no") {

		@Override
		void cause(RedisProcess redis) {
			redis.command("REPLICAOF", "127.0.0.1", "1");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("REPLICAOF", "NO", "ONE");
		}

	},

	NOREPLICAS("min-replicas-to-write", true) {

		@Override
		void cause(RedisProcess redis) {
			redis.command("CONFIG", "SET", "min-replicas-to-write", "1");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("CONFIG", "SET", "min-replicas-to-write", "0");
		}

	},

	CLUSTERDOWN("Redis Cluster is down", true, "cluster-enabled yes", "cluster-port " + RedisProcess.freePort()) {

		@Override
		void prepare(RedisProcess redis) {
			mend(redis);
		}

		@Override
		void cause(RedisProcess redis) {
			redis.command("CLUSTER", "DELSLOTS", "0");
			awaitCluster(redis, "fail");
		}

		@Override
		void mend(RedisProcess redis) {
			if (slots(redis) == 0) {
				redis.command("CLUSTER", "ADDSLOTSRANGE", "1", "16383");
			}
			redis.command("CLUSTER", "ADDSLOTS", "0");
			awaitCluster(redis, "ok");
		}

		private int slots(RedisProcess redis) {
			return ((List<?>) redis.command("CLUSTER", "SLOTS")).size();
		}

		private void awaitCluster(RedisProcess redis, String state) {
			Awaitility.await("cluster is " + state)
				.until(() -> String.valueOf(redis.command("CLUSTER", "INFO")).contains("cluster_state:" + state));
		}

	},

	MISCONF("cannot save its data", false, "save 3600 1000000") {

		@Override
		void cause(RedisProcess redis) {
			try {
				FileSystemUtils.deleteRecursively(redis.directory());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			redis.command("BGSAVE");
			await(redis, "persistence", "rdb_last_bgsave_status:err");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("CONFIG", "SET", "stop-writes-on-bgsave-error", "no");
		}

	},

	NOPERM("extend its ACL", false) {

		@Override
		void cause(RedisProcess redis) {
			redis.command("ACL", "SETUSER", "default", "-evalsha", "-eval");
		}

		@Override
		void mend(RedisProcess redis) {
			redis.command("ACL", "SETUSER", "default", "+evalsha", "+eval");
		}

	};

	final String text;

	/** Whether the condition may end by itself. */
	final boolean passing;

	private final String[] options;

	RedisTrouble(String text, boolean passing, String... options) {
		this.text = text;
		this.passing = passing;
		this.options = options;
	}

	/**
	 * Return the conditions that the tested server can be brought into. Redis 6.2 lacks
	 * the settings for two of them.
	 */
	static Stream<RedisTrouble> known() {
		boolean old = RedisProgram.TESTED.version() < 700;
		return Stream.of(values()).filter((trouble) -> !old || (trouble != LOADING && trouble != CLUSTERDOWN));
	}

	/**
	 * Start a Redis that works.
	 */
	RedisProcess start() {
		RedisProcess redis = RedisProcess.start(this.options);
		prepare(redis);
		return redis;
	}

	void prepare(RedisProcess redis) {
	}

	abstract void cause(RedisProcess redis);

	abstract void mend(RedisProcess redis);

	private static void await(RedisProcess redis, String section, String text) {
		Awaitility.await(text)
			.ignoreExceptions()
			.until(() -> String.valueOf(redis.command("INFO", section)).contains(text));
	}

}
