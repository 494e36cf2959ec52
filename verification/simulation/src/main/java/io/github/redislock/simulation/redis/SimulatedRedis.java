package io.github.redislock.simulation.redis;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.function.LongSupplier;

import io.github.redislock.simulation.redis.Commands.Command;
import io.github.redislock.simulation.redis.Commands.Effect;
import io.github.redislock.simulation.redis.Commands.Status;
import org.jspecify.annotations.Nullable;

/**
 * A Redis 7 without a network, with a given clock. Runs scripts in a real Lua
 * interpreter, on a model of the commands that they use; {@code DifferencesTests}
 * compares it with a real server.
 * <p>
 * The clock is stopped while a command or a script runs. Keys expire to the millisecond.
 * A script that uses a key that it was not given fails with an
 * {@link IllegalStateException}, because in a Redis Cluster the key might be on another
 * node.
 * <p>
 * Not thread-safe.
 */
public final class SimulatedRedis {

	private final LuaScripts lua;

	private final LongSupplier clock;

	private final KeySpace keys = new KeySpace();

	private final Commands commands;

	private boolean memoryFull;

	private boolean readOnly;

	/**
	 * Create a server without data.
	 * @param lua runs the scripts, and may be shared with other servers
	 * @param clock the server's wall clock in microseconds, which may go back
	 * @param channels receives the server's messages
	 */
	public SimulatedRedis(LuaScripts lua, LongSupplier clock, Channels channels) {
		this.lua = lua;
		this.clock = clock;
		this.commands = new Commands(this.keys, channels);
	}

	/**
	 * Run a script, as {@code EVAL} does.
	 * @param source the text of the script
	 * @return a {@link Long}, a byte array, a {@link String} for a status, a {@link List}
	 * of these or {@code null}
	 * @throws ErrorReplyException if the server replies with an error
	 */
	public @Nullable Object eval(String source, List<byte[]> keys, List<byte[]> arguments) {
		this.keys.at(this.clock.getAsLong());
		List<String> declared = texts(keys);
		return toClient(this.lua.run(source, declared, texts(arguments), new Run(declared)));
	}

	/**
	 * Run one of the commands that the scripts use, outside of a script.
	 * @param words the name and the arguments of the command
	 * @return the same types as {@link #eval}
	 * @throws ErrorReplyException if the server replies with an error
	 */
	public @Nullable Object call(List<byte[]> words) {
		this.keys.at(this.clock.getAsLong());
		List<String> texts = texts(words);
		Command command = Commands.of(texts.get(0));
		if (command == null) {
			throw new UnsupportedOperationException("The simulated Redis does not support this command: " + texts);
		}
		if (!command.takes(texts.size())) {
			throw Commands.wrongNumber(texts.get(0));
		}
		check(command, false);
		return toClient(this.commands.run(command, texts));
	}

	/**
	 * Return a snapshot of all keys that have not expired, by key name. Each char of a
	 * name is one byte (ISO 8859-1).
	 */
	public SortedMap<String, StoredKey> keys() {
		this.keys.at(this.clock.getAsLong());
		return this.keys.copy();
	}

	/**
	 * Replace all data with an earlier snapshot of this or another server. An empty map
	 * has the effect of {@code FLUSHALL} or a crash.
	 * @param keys a result of {@link #keys()}
	 */
	public void restore(Map<String, StoredKey> keys) {
		this.keys.restore(keys);
	}

	/**
	 * Set whether the memory is full, so that commands that could need more memory are
	 * refused. A script that has begun to write may continue.
	 */
	public void memoryFull(boolean full) {
		this.memoryFull = full;
	}

	/**
	 * Set whether the server is a replica, which refuses all writes.
	 */
	public void readOnly(boolean readOnly) {
		this.readOnly = readOnly;
	}

	/**
	 * Check that the server may run a command in its current state.
	 * @param begun whether the command is part of a script that has written
	 */
	private void check(Command command, boolean begun) {
		if (this.readOnly && command.effect() != Effect.READS) {
			throw new ErrorReplyException("READONLY You can't write against a read only replica.");
		}
		if (this.memoryFull && command.effect() == Effect.GROWS && !begun) {
			throw new ErrorReplyException("OOM command not allowed when used memory > 'maxmemory'.");
		}
	}

	private static List<String> texts(List<byte[]> words) {
		List<String> texts = new ArrayList<>(words.size());
		for (byte[] word : words) {
			texts.add(new String(word, StandardCharsets.ISO_8859_1));
		}
		return texts;
	}

	private static @Nullable Object toClient(@Nullable Object reply) {
		if (reply instanceof String text) {
			return text.getBytes(StandardCharsets.ISO_8859_1);
		}
		if (reply instanceof Status status) {
			return status.text();
		}
		if (reply instanceof List<?> items) {
			List<@Nullable Object> converted = new ArrayList<>(items.size());
			for (Object item : items) {
				converted.add(toClient(item));
			}
			return converted;
		}
		return reply;
	}

	private final class Run implements LuaScripts.Calls {

		private final List<String> declared;

		private boolean begun;

		Run(List<String> declared) {
			this.declared = declared;
		}

		@Override
		public @Nullable Object call(List<String> words) {
			if (words.isEmpty()) {
				throw new ErrorReplyException("ERR Please specify at least one argument for this redis lib call");
			}
			Command command = Commands.of(words.get(0));
			if (command == null) {
				throw new UnsupportedOperationException("The simulated Redis does not support this command: " + words);
			}
			if (!command.takes(words.size())) {
				throw new ErrorReplyException("ERR Wrong number of args calling Redis command from script");
			}
			for (String key : command.keysIn(words)) {
				if (!this.declared.contains(key)) {
					throw new IllegalStateException("A script uses '%s', which is not one of its keys %s: %s"
						.formatted(key, this.declared, words));
				}
			}
			check(command, this.begun);
			this.begun |= command.effect() != Effect.READS;
			return SimulatedRedis.this.commands.run(command, words);
		}

	}

}
