package io.github.redislock.simulation.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

import io.github.redislock.redis.ScriptBranches;
import io.github.redislock.simulation.redis.Commands.Status;
import org.jspecify.annotations.Nullable;
import party.iroiro.luajava.Lua;
import party.iroiro.luajava.LuaException;
import party.iroiro.luajava.lua51.Lua51;
import party.iroiro.luajava.lua51.Lua51Natives;

/**
 * A Lua 5.1 interpreter in which scripts run as in Redis 7, with {@code KEYS},
 * {@code ARGV}, {@code redis.call} and {@code redis.pcall}, but without nondeterministic
 * functions. Several servers may share it.
 * <p>
 * Not thread-safe.
 */
public final class LuaScripts implements AutoCloseable {

	/** This constant and the next three are the types of Lua values (see lua.h). */
	private static final int BOOLEAN = 1;

	private static final int NUMBER = 3;

	private static final int STRING = 4;

	private static final int TABLE = 5;

	/** The pseudo-index of the registry (LUA_REGISTRYINDEX). */
	private static final int REGISTRY = -10000;

	/** The result with which a Java function raises the value on top of the stack. */
	private static final int RAISE = -1;

	/** The value that is raised to stop a script. The real cause is stored separately. */
	private static final String STOPPED = "stopped";

	private static final String PRELUDE = """
			local call, safely = ...
			local getinfo = debug.getinfo

			local globals = {redis = {call = call, pcall = safely}, KEYS = {}, ARGV = {}}
			for name in string.gmatch([[assert error getmetatable ipairs math next pairs pcall rawequal rawget rawset
			    select setmetatable string table tonumber tostring type unpack xpcall]], '%S+') do
			  globals[name] = _G[name]
			end
			globals._G = globals
			math.random, math.randomseed = nil, nil
			setmetatable(globals, {
			  __index = function(_, name)
			    error("Script attempted to access nonexistent global variable '" .. tostring(name) .. "'", 2)
			  end,
			  __newindex = function() error('Attempt to modify a readonly table', 2) end
			})

			local function locate(failure)
			  if type(failure) ~= 'table' then failure = {err = 'ERR ' .. tostring(failure)} end
			  local level = 2
			  local where = getinfo(level, 'Sl')
			  while where and where.source ~= '@user_script' do
			    level = level + 1
			    where = getinfo(level, 'Sl')
			  end
			  failure.line = where and where.currentline
			  return failure
			end

			local function from_hex(digits)
			  return (string.gsub(digits, '..', function(byte) return string.char(tonumber(byte, 16)) end))
			end

			local yes, no = {}, {}
			function globals.redis.took(number, condition)
			  local counts = condition and yes or no
			  counts[number] = (counts[number] or 0) + 1
			  return condition
			end

			local function taken()
			  local all = {}
			  for number, count in pairs(yes) do all[#all + 1] = number .. ' yes ' .. count end
			  for number, count in pairs(no) do all[#all + 1] = number .. ' no ' .. count end
			  return table.concat(all, ',')
			end

			local rounds = 0
			local function begin() rounds = 0 end
			debug.sethook(function()
			  rounds = rounds + 1
			  if rounds > 1000 then error('The script does not end') end
			end, '', 1000)

			return globals, locate, from_hex, taken, begin
			""";

	private final Lua lua = new Lua51();

	private final Lua51Natives natives = (Lua51Natives) this.lua.getLuaNatives();

	private final long state = this.lua.getPointer();

	private final Map<String, Script> scripts = new HashMap<>();

	private final int globals;

	private final int locate;

	private final int fromHex;

	private final int taken;

	private final int begin;

	private @Nullable Calls calls;

	private @Nullable Throwable failure;

	/**
	 * Create an instance.
	 * @throws LinkageError if this machine has no native Lua
	 */
	public LuaScripts() {
		this.lua.openLibraries();
		this.lua.load(PRELUDE);
		this.lua.push((ignored) -> call(RAISE));
		this.lua.push((ignored) -> call(1));
		this.lua.pCall(2, 5);
		this.begin = this.lua.ref();
		this.taken = this.lua.ref();
		this.fromHex = this.lua.ref();
		this.locate = this.lua.ref();
		this.globals = this.lua.ref();
	}

	/**
	 * Run a script. Each text is compiled only once.
	 * @param calls runs the commands of the script
	 * @return a {@link Long}, a {@link String} for bytes, a {@link Status}, a list of
	 * these or {@code null}
	 * @throws ErrorReplyException if the script ends with an error
	 */
	@Nullable Object run(String source, List<String> keys, List<String> arguments, Calls calls) {
		if (this.calls != null) {
			throw new IllegalStateException("A script is already running");
		}
		Script script = this.scripts.computeIfAbsent(source, this::compile);
		this.calls = calls;
		try {
			return run(script, keys, arguments);
		}
		finally {
			this.calls = null;
			this.failure = null;
			this.natives.lua_settop(this.state, 0);
		}
	}

	private @Nullable Object run(Script script, List<String> keys, List<String> arguments) {
		this.natives.lua_rawgeti(this.state, REGISTRY, this.begin);
		this.natives.lua_pcall(this.state, 0, 0, 0);
		this.natives.lua_rawgeti(this.state, REGISTRY, this.locate);
		this.natives.lua_rawgeti(this.state, REGISTRY, this.globals);
		setGlobal("KEYS", keys);
		setGlobal("ARGV", arguments);
		this.natives.lua_rawgeti(this.state, REGISTRY, script.reference());
		int status = this.natives.lua_pcall(this.state, 0, 1, 1);
		if (this.failure != null) {
			throw rethrown(this.failure);
		}
		if (status == 0) {
			Object reply = reply();
			if (reply instanceof ErrorReplyException error) {
				throw error;
			}
			return reply;
		}
		if (this.natives.lua_type(this.state, -1) != TABLE) {
			throw new IllegalStateException("Lua failed: " + this.lua.toString(-1));
		}
		String text = String.valueOf(field("err"));
		this.natives.lua_getfield(this.state, -1, "line");
		long line = this.natives.lua_tointeger(this.state, -1);
		throw new ErrorReplyException(
				(line > 0) ? "%s script: %s, on @user_script:%d.".formatted(text, script.sha1(), line) : text);
	}

	/**
	 * Return whether a script, or a part of one, is valid Lua.
	 */
	public boolean compiles(String source) {
		try {
			compile(source);
			return true;
		}
		catch (ErrorReplyException ex) {
			return false;
		}
		finally {
			this.natives.lua_settop(this.state, 0);
		}
	}

	public Map<String, Long> branches() {
		this.natives.lua_rawgeti(this.state, REGISTRY, this.taken);
		this.natives.lua_pcall(this.state, 0, 1, 0);
		String all = string(-1);
		this.natives.lua_settop(this.state, 0);
		Map<String, Long> branches = new HashMap<>();
		for (String one : all.split(",")) {
			String[] words = one.split(" ");
			if (words.length == 3) {
				branches.put(ScriptBranches.conditions().get(Integer.parseInt(words[0])) + ": " + words[1],
						Long.valueOf(words[2]));
			}
		}
		return branches;
	}

	@Override
	public void close() {
		this.lua.close();
	}

	private Script compile(String source) {
		byte[] bytes = ScriptBranches.mark(source).getBytes(StandardCharsets.UTF_8);
		ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length);
		buffer.put(bytes).flip();
		try {
			this.lua.load(buffer, "@user_script");
		}
		catch (LuaException ex) {
			throw new ErrorReplyException("ERR Error compiling script (new function): %s".formatted(ex.getMessage()));
		}
		this.natives.lua_rawgeti(this.state, REGISTRY, this.globals);
		this.natives.lua_setfenv(this.state, -2);
		return new Script(this.lua.ref(), sha1(source.getBytes(StandardCharsets.UTF_8)));
	}

	/**
	 * Run a command of a script. The words of the command are on the stack.
	 * @param ofError the number to return to Lua if the reply is an error
	 */
	private int call(int ofError) {
		try {
			List<String> words = new ArrayList<>();
			int top = this.natives.lua_gettop(this.state);
			for (int index = 1; index <= top; index++) {
				words.add(word(index));
			}
			Calls present = this.calls;
			if (present == null) {
				throw new IllegalStateException("No script runs");
			}
			push(present.call(words));
			return 1;
		}
		catch (ErrorReplyException ex) {
			pushTable("err", ex.text());
			return ofError;
		}
		catch (Throwable ex) {
			// No exception may pass through Lua.
			this.failure = ex;
			pushString(STOPPED);
			return RAISE;
		}
	}

	private String word(int index) {
		return switch (this.natives.lua_type(this.state, index)) {
			case STRING -> string(index);
			case NUMBER -> Numbers.text(this.natives.lua_tonumber(this.state, index));
			default -> throw new ErrorReplyException("ERR Lua redis lib command arguments must be strings or integers");
		};
	}

	private void push(@Nullable Object reply) {
		if (reply == null) {
			this.natives.lua_pushboolean(this.state, 0);
		}
		else if (reply instanceof Long number) {
			this.natives.lua_pushnumber(this.state, number);
		}
		else if (reply instanceof String text) {
			pushString(text);
		}
		else if (reply instanceof Status status) {
			pushTable("ok", status.text());
		}
		else {
			List<?> items = (List<?>) reply;
			this.natives.lua_createtable(this.state, items.size(), 0);
			for (int index = 0; index < items.size(); index++) {
				push(items.get(index));
				this.natives.lua_rawseti(this.state, -2, index + 1);
			}
		}
	}

	private void pushTable(String field, String value) {
		this.natives.lua_createtable(this.state, 0, 1);
		pushString(value);
		this.natives.lua_setfield(this.state, -2, field);
	}

	/**
	 * Return the result of a script, which may be an error, from the top of the stack.
	 */
	private @Nullable Object reply() {
		return switch (this.natives.lua_type(this.state, -1)) {
			case NUMBER -> Numbers.truncate(this.natives.lua_tonumber(this.state, -1));
			case STRING -> string(-1);
			case BOOLEAN -> (this.natives.lua_toboolean(this.state, -1) != 0) ? 1L : null;
			case TABLE -> table();
			default -> null;
		};
	}

	private Object table() {
		String error = field("err");
		if (error != null) {
			return new ErrorReplyException(error);
		}
		String status = field("ok");
		if (status != null) {
			return new Status(status);
		}
		List<@Nullable Object> items = new ArrayList<>();
		for (int index = 1;; index++) {
			this.natives.lua_rawgeti(this.state, -1, index);
			if (this.natives.lua_isnil(this.state, -1) != 0) {
				this.natives.lua_settop(this.state, -2);
				return items;
			}
			items.add(reply());
			this.natives.lua_settop(this.state, -2);
		}
	}

	/**
	 * Return a text field of the table on top of the stack.
	 */
	private @Nullable String field(String name) {
		this.natives.lua_getfield(this.state, -1, name);
		String value = (this.natives.lua_type(this.state, -1) == STRING) ? string(-1) : null;
		this.natives.lua_settop(this.state, -2);
		return value;
	}

	/**
	 * Set a global variable of the table on top of the stack.
	 */
	private void setGlobal(String name, List<String> values) {
		this.natives.lua_createtable(this.state, values.size(), 0);
		for (int index = 0; index < values.size(); index++) {
			pushString(values.get(index));
			this.natives.lua_rawseti(this.state, -2, index + 1);
		}
		this.natives.lua_setfield(this.state, -2, name);
	}

	/**
	 * Return a Lua string, with one char for each byte.
	 */
	private String string(int index) {
		String text = this.natives.lua_tostring(this.state, index);
		if (text.length() == this.natives.lua_objlen(this.state, index) && isPlain(text)) {
			return text;
		}
		// lua_tostring reads UTF-8, and stops at the first zero byte.
		ByteBuffer bytes = (ByteBuffer) this.natives.luaJ_tobuffer(this.state, index);
		return StandardCharsets.ISO_8859_1.decode(bytes).toString();
	}

	private void pushString(String text) {
		if (isPlain(text)) {
			this.natives.luaJ_pushstring(this.state, text);
			return;
		}
		this.natives.lua_rawgeti(this.state, REGISTRY, this.fromHex);
		this.natives.luaJ_pushstring(this.state, HexFormat.of().formatHex(text.getBytes(StandardCharsets.ISO_8859_1)));
		this.natives.lua_pcall(this.state, 1, 1, 0);
	}

	private static boolean isPlain(String text) {
		for (int index = 0; index < text.length(); index++) {
			char next = text.charAt(index);
			if (next == 0 || next >= 0x80) {
				return false;
			}
		}
		return true;
	}

	private static RuntimeException rethrown(Throwable failure) {
		if (failure instanceof Error error) {
			throw error;
		}
		return (failure instanceof RuntimeException runtime) ? runtime : new IllegalStateException(failure);
	}

	private static String sha1(byte[] source) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(source));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

	@FunctionalInterface
	interface Calls {

		/**
		 * Run a command.
		 * @return the same types as {@link Commands#run}
		 * @throws ErrorReplyException if the server replies with an error
		 */
		@Nullable Object call(List<String> words);

	}

	private record Script(int reference, String sha1) {
	}

}
