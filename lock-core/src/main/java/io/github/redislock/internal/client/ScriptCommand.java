package io.github.redislock.internal.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.function.Consumer;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.CompleteableCommand;
import io.lettuce.core.protocol.ProtocolKeyword;
import io.lettuce.core.protocol.RedisCommand;
import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * A script that Lettuce sends, and its reply. It is sent by digest, and again with its
 * text if Redis does not know the digest. A script that only compares and deletes one key
 * is replaced by the server's own command, if there is one, and sent if that command
 * fails.
 * <p>
 * Command and future are one object, and keys and arguments are written directly, because
 * Lettuce's own command would need an extra object for each.
 */
final class ScriptCommand extends CompletableFuture<Object>
		implements RedisCommand<byte[], byte[], Object>, CompleteableCommand<Object> {

	private final StatefulConnection<byte[], byte[]> connection;

	private final ScriptCall call;

	private final Consumer<@Nullable Throwable> heard;

	private final AtomicReference<List<byte[]>> deletion;

	/** Whether the server's own command was written in place of the script. */
	private boolean replaced;

	private boolean replaceable = true;

	private CommandOutput<byte[], byte[], Object> output = new Output();

	private boolean byDigest = true;

	private @Nullable BiConsumer<? super Object, @Nullable Throwable> atEnd;

	/**
	 * Create a command that is not sent yet.
	 * @param heard called before the future completes: with {@code null} if Redis has
	 * replied, otherwise with the failure
	 * @param deletion the words of the server's command that deletes a key if it has a
	 * value; empty if there is none, or once the server has refused it
	 */
	ScriptCommand(StatefulConnection<byte[], byte[]> connection, ScriptCall call, Consumer<@Nullable Throwable> heard,
			AtomicReference<List<byte[]>> deletion) {
		this.connection = connection;
		this.call = call;
		this.heard = heard;
		this.deletion = deletion;
	}

	/**
	 * Send the script. The future fails if that is not possible.
	 * @return this
	 */
	ScriptCommand send() {
		try {
			this.connection.dispatch(this);
		}
		catch (RuntimeException ex) {
			completeExceptionally(ex);
		}
		return this;
	}

	@Override
	public void complete() {
		if (isDone()) {
			// The reply came too late.
			return;
		}
		this.heard.accept(null);
		String error = this.output.getError();
		if (error == null) {
			end(this.output.get(), null);
		}
		else if (this.replaced || (this.byDigest && error.startsWith("NOSCRIPT"))) {
			// If the server's own command fails, perhaps after a failover, the script
			// decides.
			if (this.replaced) {
				this.replaceable = false;
				if (error.startsWith("NOPERM") || error.startsWith("ERR unknown command")) {
					this.deletion.set(List.of());
				}
			}
			else {
				this.byDigest = false;
			}
			this.output = new Output();
			send();
		}
		else {
			end(null, new RedisCommandExecutionException(error));
		}
	}

	@Override
	public boolean completeExceptionally(Throwable failure) {
		if (isDone()) {
			return false;
		}
		this.heard.accept(failure);
		return end(null, failure);
	}

	private boolean end(@Nullable Object reply, @Nullable Throwable failure) {
		if (this.atEnd != null) {
			this.atEnd.accept(reply, failure);
		}
		return (failure != null) ? super.completeExceptionally(failure) : complete(reply);
	}

	@Override
	public void cancel() {
		completeExceptionally(new CancellationException());
	}

	@Override
	public void onComplete(Consumer<? super Object> action) {
		thenAccept(action);
	}

	/**
	 * Keep the first action separate. It is Lettuce's own action, which is set before the
	 * command is sent, and cancels the timeout.
	 */
	@Override
	@SuppressWarnings("NullAway") // Null without a failure.
	public void onComplete(BiConsumer<? super Object, Throwable> action) {
		if (this.atEnd == null) {
			this.atEnd = action;
		}
		else {
			whenComplete(action);
		}
	}

	@Override
	public ProtocolKeyword getType() {
		return this.byDigest ? CommandType.EVALSHA : CommandType.EVAL;
	}

	/**
	 * Return the arguments for code that needs the keys, such as Lettuce's Cluster
	 * support.
	 */
	@Override
	public CommandArgs<byte[], byte[]> getArgs() {
		Script script = this.call.script();
		ScriptCall.Input input = this.call.seal();
		CommandArgs<byte[], byte[]> arguments = new CommandArgs<>(ByteArrayCodec.INSTANCE);
		return (this.byDigest ? arguments.add(script.sha1()) : arguments.add(script.bytes())).add(input.keys().size())
			.addKeys(input.keys())
			.addValues(input.arguments());
	}

	@Override
	public void encode(ByteBuf buffer) {
		Script script = this.call.script();
		ScriptCall.Input input = this.call.seal();
		List<byte[]> words = (this.replaceable && this.call.deletesIfEqual()) ? this.deletion.get() : List.of();
		this.replaced = !words.isEmpty();
		if (this.replaced) {
			writeLine(buffer, '*', words.size() + 2);
			write(buffer, words.get(0));
			write(buffer, input.keys().get(0));
			words.subList(1, words.size()).forEach((word) -> write(buffer, word));
			write(buffer, input.arguments().get(0));
			return;
		}
		writeLine(buffer, '*', 3 + input.keys().size() + input.arguments().size());
		write(buffer, this.byDigest ? "EVALSHA" : "EVAL");
		if (this.byDigest) {
			write(buffer, script.sha1());
		}
		else {
			write(buffer, script.bytes());
		}
		write(buffer, Integer.toString(input.keys().size()));
		for (byte[] key : input.keys()) {
			write(buffer, key);
		}
		for (byte[] argument : input.arguments()) {
			write(buffer, argument);
		}
	}

	private static void write(ByteBuf buffer, String ascii) {
		writeLine(buffer, '$', ascii.length());
		buffer.writeCharSequence(ascii, StandardCharsets.US_ASCII);
		endLine(buffer);
	}

	private static void write(ByteBuf buffer, byte[] value) {
		writeLine(buffer, '$', value.length);
		buffer.writeBytes(value);
		endLine(buffer);
	}

	private static void writeLine(ByteBuf buffer, char type, int length) {
		buffer.writeByte(type);
		writeDigits(buffer, length);
		endLine(buffer);
	}

	private static void writeDigits(ByteBuf buffer, int number) {
		if (number >= 10) {
			writeDigits(buffer, number / 10);
		}
		buffer.writeByte('0' + number % 10);
	}

	private static void endLine(ByteBuf buffer) {
		buffer.writeByte('\r');
		buffer.writeByte('\n');
	}

	@Override
	public CommandOutput<byte[], byte[], Object> getOutput() {
		return this.output;
	}

	@Override
	public void setOutput(CommandOutput<byte[], byte[], Object> output) {
		this.output = output;
	}

	/**
	 * Reads a number, or a list of numbers and byte arrays. Scripts return no nested
	 * lists.
	 */
	private static final class Output extends CommandOutput<byte[], byte[], Object> {

		private @Nullable List<@Nullable Object> list;

		Output() {
			super(ByteArrayCodec.INSTANCE, null);
		}

		@Override
		public void multi(int count) {
			this.list = new ArrayList<>(Math.max(count, 0));
			this.output = this.list;
		}

		@Override
		public void set(long integer) {
			add(integer);
		}

		@Override
		public void set(@Nullable ByteBuffer bytes) {
			add((bytes != null) ? this.codec.decodeValue(bytes) : null);
		}

		private void add(@Nullable Object value) {
			if (this.list != null) {
				this.list.add(value);
			}
			else {
				this.output = value;
			}
		}

	}

}
