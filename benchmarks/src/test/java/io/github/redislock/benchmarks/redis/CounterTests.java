package io.github.redislock.benchmarks.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import java.util.function.ToIntBiFunction;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class CounterTests {

	private static final String REQUESTS = "*1\r\n$4\r\nPING\r\n*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$7\r\n*1\r\n$9\n\r\n"
			+ "*2\r\n$3\r\nGET\r\n$0\r\n\r\n";

	private static final String REPLIES = "+OK\r\n*3\r\n$7\r\nmessage\r\n$1\r\nc\r\n$2\r\nhi\r\n"
			+ ">4\r\n$8\r\npmessage\r\n$1\r\n*\r\n$1\r\nc\r\n$2\r\nho\r\n$7\r\nmessagf\r\n"
			+ "$$8\r\nsmessage\r\n$9\r\nsubscribe\r\n";

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 7, 1_000 })
	void requestsAreCountedInChunksOfDifferentSizes(int piece) {
		assertThat(inPieces(REQUESTS, piece, new RequestCounter()::count)).isEqualTo(3);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 7, 1_000 })
	void messagesAreCountedInChunksOfDifferentSizes(int piece) {
		assertThat(inPieces(REPLIES, piece, new MessageCounter()::count)).isEqualTo(3);
	}

	@Test
	void ownInfoCallsAreNotCountedAsExecutedCommands() {
		RedisCounters before = new RedisCounters(Map.of("evalsha", 5L, "info", 1L), 1.5, 100);
		RedisCounters after = new RedisCounters(Map.of("evalsha", 7L, "get", 2L, "del", 1L, "info", 2L), 2.0, 350);

		RedisCounters between = after.since(before);

		assertThat(between.executed()).isEqualTo(5);
		assertThat(between.scripts()).isEqualTo(2);
		assertThat(between.cpuSeconds()).isEqualTo(0.5);
		assertThat(between.wireBytes()).isEqualTo(250);
	}

	private static int inPieces(String text, int piece, ToIntBiFunction<byte[], Integer> counter) {
		byte[] bytes = text.getBytes(StandardCharsets.US_ASCII);
		int counted = 0;
		for (int from = 0; from < bytes.length; from += piece) {
			byte[] part = Arrays.copyOfRange(bytes, from, Math.min(bytes.length, from + piece));
			counted += counter.applyAsInt(part, part.length);
		}
		return counted;
	}

}
