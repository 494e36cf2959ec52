package io.github.redislock.internal.client;

import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.NestedMultiOutput;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

class ScriptCommandTests {

	private final List<Object> sent = new ArrayList<>();

	private final List<@Nullable Throwable> heard = new ArrayList<>();

	private final AtomicReference<List<byte[]>> deletion = new AtomicReference<>(List.of());

	private final ScriptCommand command = command(List.of(bytes("lock"), bytes("{lock}:fence")),
			List.of(bytes("owner"), bytes(""), bytes("32000")));

	@Test
	void bytesMatchThoseWrittenByLettuce() {
		assertThat(written(this.command)).isEqualTo(writtenByLettuce(this.command))
			.startsWith("*8\r\n$7\r\nEVALSHA\r\n$40\r\n");

		this.command.send();
		reply("-NOSCRIPT No matching script");

		assertThat(written(this.command)).isEqualTo(writtenByLettuce(this.command))
			.startsWith("*8\r\n$4\r\nEVAL\r\n$8");
	}

	@Test
	void bytesOfManyKeysMatchThoseWrittenByLettuce() {
		List<byte[]> many = IntStream.range(0, 1_234).mapToObj((number) -> bytes("key" + number)).toList();
		ScriptCommand batch = command(many, List.of(new byte[10_000]));

		assertThat(written(batch)).isEqualTo(writtenByLettuce(batch));
	}

	@Test
	void routesByTheFirstKey() {
		assertThat(this.command.getArgs().getFirstEncodedKey()).isEqualTo(ByteBuffer.wrap(bytes("lock")));
	}

	@Test
	void returnsNumbersAndLists() {
		ScriptCommand list = command(List.of(), List.of());
		list.getOutput().multi(3);
		list.getOutput().set(1L);
		list.getOutput().set(ByteBuffer.wrap(bytes("owner")));
		list.getOutput().set((ByteBuffer) null);
		list.complete();
		this.command.getOutput().set(7L);
		this.command.complete();

		assertThat(this.command).isCompletedWithValue(7L);
		assertThat((List<?>) list.join()).hasSize(3)
			.satisfies((reply) -> assertThat(reply.get(0)).isEqualTo(1L))
			.satisfies((reply) -> assertThat(reply.get(1)).isEqualTo(bytes("owner")))
			.satisfies((reply) -> assertThat(reply.get(2)).isNull());
		assertThat(this.heard).containsExactly(null, null);
	}

	@Test
	void sendsTheTextOnceIfTheDigestIsUnknown() {
		this.command.send();
		reply("-NOSCRIPT No matching script");
		assertThat(this.sent).containsExactly(CommandType.EVALSHA, CommandType.EVAL);

		reply("-NOSCRIPT No matching script");

		assertThat(this.sent).hasSize(2);
		assertThat(this.command).isCompletedExceptionally()
			.failsWithin(Duration.ZERO)
			.withThrowableOfType(ExecutionException.class)
			.withCauseInstanceOf(RedisCommandExecutionException.class);
	}

	@Test
	void scriptTextIsNotSentAfterTheTimeout() {
		RedisCommandTimeoutException timeout = new RedisCommandTimeoutException();
		this.command.send();
		assertThat(this.command.completeExceptionally(timeout)).isTrue();
		assertThat(this.command.completeExceptionally(new CancellationException())).isFalse();

		reply("-NOSCRIPT No matching script");

		assertThat(this.sent).containsExactly(CommandType.EVALSHA);
		assertThat(this.heard).containsExactly(timeout);
	}

	@Test
	void serversOwnCommandReplacesAScriptThatOnlyComparesAndDeletes() {
		ScriptCommand release = release();
		assertThat(written(release)).startsWith("*5\r\n$7\r\nEVALSHA\r\n");

		this.deletion.set(List.of(bytes("DELEX"), bytes("IFEQ")));
		assertThat(written(release)).isEqualTo("*4\r\n$5\r\nDELEX\r\n$4\r\nlock\r\n$4\r\nIFEQ\r\n$4\r\nmine\r\n");
		assertThat(written(this.command)).as("another script").startsWith("*8\r\n$7\r\nEVALSHA\r\n");

		this.deletion.set(List.of(bytes("DELIFEQ")));
		assertThat(written(release)).isEqualTo("*3\r\n$7\r\nDELIFEQ\r\n$4\r\nlock\r\n$4\r\nmine\r\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "NOPERM this user has no permissions to run the 'delex' command",
			"ERR unknown command 'DELEX', with args beginning with: 'lock' 'IFEQ'" })
	void scriptIsSentIfTheServerRefusesItsOwnCommand(String error) {
		scriptIsSentAfter(error);
		assertThat(this.deletion.get()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "ERR Key should be of string type if conditions are specified",
			"WRONGTYPE Operation against a key holding the wrong kind of value",
			"LOADING Redis is loading the dataset in memory", "BUSY Redis is busy running a script",
			"READONLY You can't write against a read only replica.",
			"OOM command not allowed when used memory > 'maxmemory'." })
	void serversOwnCommandIsUsedAgainAfterAnotherError(String error) {
		scriptIsSentAfter(error);
		assertThat(written(release())).contains("DELEX");
	}

	@Test
	void errorOfTheScriptCountsAfterAnErrorOfTheServersOwnCommand() {
		this.deletion.set(List.of(bytes("DELEX"), bytes("IFEQ")));
		ScriptCommand release = release();
		for (int time = 0; time < 2; time++) {
			written(release);
			release.getOutput().setError("LOADING Redis is loading the dataset in memory");
			release.complete();
		}

		assertThat(this.sent).hasSize(1);
		assertThat(release).isCompletedExceptionally();
	}

	private void scriptIsSentAfter(String error) {
		this.deletion.set(List.of(bytes("DELEX"), bytes("IFEQ")));
		ScriptCommand release = release();
		written(release);

		release.getOutput().setError(error);
		release.complete();

		assertThat(this.sent).hasSize(1);
		assertThat(written(release)).startsWith("*5\r\n$7\r\nEVALSHA\r\n");
		release.getOutput().set(1L);
		release.complete();
		assertThat(release).isCompletedWithValue(1L);
	}

	@Test
	void firstActionRunsBeforeAllOthers() {
		List<String> actions = new ArrayList<>();
		this.command.onComplete((reply, failure) -> actions.add("first " + reply));
		this.command.onComplete((reply, failure) -> actions.add("second " + reply));
		this.command.getOutput().set(1L);

		this.command.complete();

		assertThat(actions).containsExactly("first 1", "second 1");
	}

	@Test
	void cancelledCommandReportsItsCancellation() {
		this.command.cancel();

		assertThat(this.command).isCancelled();
		assertThat(this.heard).singleElement().isInstanceOf(CancellationException.class);
	}

	private void reply(String error) {
		this.command.getOutput().setError(error.substring(1));
		this.command.complete();
	}

	private static String written(ScriptCommand command) {
		ByteBuf buffer = Unpooled.buffer();
		command.encode(buffer);
		return buffer.toString(StandardCharsets.UTF_8);
	}

	private static String writtenByLettuce(ScriptCommand command) {
		ByteBuf buffer = Unpooled.buffer();
		new Command<>(command.getType(), new NestedMultiOutput<>(ByteArrayCodec.INSTANCE), command.getArgs())
			.encode(buffer);
		return buffer.toString(StandardCharsets.UTF_8);
	}

	private static byte[] bytes(String text) {
		return text.getBytes(StandardCharsets.UTF_8);
	}

	private ScriptCommand release() {
		return command(List.of(bytes("lock")), List.of(bytes("mine")), true);
	}

	private ScriptCommand command(List<byte[]> keys, List<byte[]> arguments) {
		return command(keys, arguments, false);
	}

	@SuppressWarnings("unchecked")
	private ScriptCommand command(List<byte[]> keys, List<byte[]> arguments, boolean deletes) {
		StatefulConnection<byte[], byte[]> connection = (StatefulConnection<byte[], byte[]>) Proxy.newProxyInstance(
				getClass().getClassLoader(), new Class<?>[] { StatefulConnection.class }, (proxy, method, given) -> {
					this.sent.add(((ScriptCommand) given[0]).getType());
					return given[0];
				});
		Script script = Script.of("test", "return 1", Script.Reply.LIST, Script.Priority.AT_ONCE);
		ScriptCall call = ScriptCall.of(script, keys, arguments);
		return new ScriptCommand(connection, deletes ? deleting(call) : call, this.heard::add, this.deletion);
	}

	private static ScriptCall deleting(ScriptCall call) {
		return new ScriptCall() {

			@Override
			public Script script() {
				return call.script();
			}

			@Override
			public boolean deletesIfEqual() {
				return true;
			}

			@Override
			public Input seal() {
				return call.seal();
			}

		};
	}

}
