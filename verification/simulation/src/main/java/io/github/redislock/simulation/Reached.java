package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import io.github.redislock.internal.engine.EngineStates;
import io.github.redislock.redis.ScriptBranches;
import io.github.redislock.redis.SimulatedStores;
import io.github.redislock.simulation.redis.LuaScripts;

/**
 * Counts how often a search reaches each fault, twist, script, condition, outcome and
 * state.
 */
final class Reached {

	/** Rows that are never or hardly ever reached, with the reason. */
	private static final Map<String, String> UNREACHABLE = new TreeMap<>();

	static {
		branches("no foreign program is simulated", "acquire-all: not holder: yes",
				"acquire-shared: not with_rest(l, hold): yes", "force-release: hold.token > 0: no",
				"force-release: not with_rest(l, hold): yes", "lib/acquire: hold and not with_rest(l, hold): yes");
		branches("no key in the simulation has another type", "acquire-all: holds[index] == nil: yes",
				"lib/hold: not redis.call('SET', l.lock, value, unpack(options)): yes",
				"lib/hold: not write_hold(l, hold, asker.ttl, 'NX'): yes",
				"lib/locks: not string.find(found.err, 'WRONGTYPE', 1, true): yes",
				"lib/locks: not string.find(found.err, 'WRONGTYPE', 1, true): no",
				"lib/locks: type(found) ~= 'table': no", "withdraw: hold ~= nil: no");
		branches("no instance with version 2 of the contract is simulated", "lib/queue: not waiter.request: yes",
				"lib/queue: waiter.request == entry and not waiter.room: yes");
		branches("every script may publish in the simulation", "lib/queue: type(received) ~= 'number': yes");
		branches("only quorums have a quarantine, and they do not run this script", "acquire-shared: left > 0: yes",
				"yield: left > 0: yes");
		branches("the operator releases only the lock that it has just seen, and never a shared lock",
				"force-release: not is_of_owner(hold): yes", "force-release: not hold.shared: no",
				"force-release: not ends or tonumber(ends) <= now: yes",
				"force-release: not ends or tonumber(ends) <= now: no");
		branches("no key is evicted: a fence outlives its lock, and locks that were acquired together expire together",
				"acquire-all: joined == 0 or joined == count: no",
				"acquire-all: hold and hold.owner == owner and hold.request == request: yes",
				"lib/acquire: not hold.known: yes", "lib/hold: record.owner ~= value: yes",
				"lib/release: hold.known: no", "raise: not hold.known: yes");
		branches("an owner token of a caller's own has a lease", "lib/prolong: ttl == 0 (2): yes");
		branches("on a quorum, no two requests share an owner token", "raise: is_of_request(hold.request): no");
		branches("may happen, but in fewer than one of 5000 schedules",
				"lib/places: redis.call('EXISTS', l.places, l.grants) > 0: yes", "lib/queue: waiter: no",
				"lib/wait: kept and string.find(remembered, '!' .. string.match(entry, '^%S+ '), 1, true): yes");
		branches("may happen, but in fewer than one of 500 schedules of 'many'", "free: #ours > 0: no");
		branches("the loop ends by return or break", "lib/handover: true: no", "lib/serve: true: no");
		UNREACHABLE.put("state: Hold.end: SURE", "a hold ends as lost or released");
		UNREACHABLE.put("state: Hold.end: UNSURE", "a hold ends as lost or released");
		UNREACHABLE.put("state: LossReport.unpublished: true", "set and unset within one step");
		UNREACHABLE.put("state: Shutdown.state: SUSPENDED", "the simulation suspends no engine");
	}

	private final Counts counts = new Counts();

	private static void branches(String reason, String... rows) {
		for (String row : rows) {
			UNREACHABLE.put("branch: " + row, reason);
		}
	}

	void add(Counts others) {
		this.counts.addAll(others);
	}

	void add(LuaScripts lua) {
		lua.branches().forEach((branch, count) -> this.counts.add("branch: " + branch, count));
	}

	static List<String> rows() {
		return all().filter((row) -> !UNREACHABLE.containsKey(row)).toList();
	}

	static Map<String, String> unreachable() {
		return UNREACHABLE;
	}

	private static Stream<String> all() {
		return Stream.of(Stream.of(Fault.values()).map((fault) -> "fault: " + fault),
				Stream.of(Ask.Twist.values()).filter(Ask.Twist::needsLock).map((twist) -> "twist: " + twist),
				Stream.of(Ask.Face.values()).map((face) -> "lock requested: " + face),
				SimulatedStores.scripts().stream().map((script) -> "script: " + script),
				ScriptBranches.conditions()
					.stream()
					.flatMap((condition) -> Stream.of("yes", "no").map((side) -> "branch: " + condition + ": " + side)),
				EngineStates.all().stream().map((state) -> "state: " + state),
				Stream.of("RELEASED", "NOT_HELD", "UNKNOWN").map((outcome) -> "released: " + outcome),
				Stream
					.of("CancellationException", "LockInterruptedException", "LockNotAcquiredException",
							"LockShutdownException", "LockStoreException")
					.map((failure) -> "not acquired: " + failure),
				Stream.of("lock lost", "lock held for hours", "deadlock reported", "request lost", "request copied",
						"request timed out", "reply lost", "message lost", "connection broken",
						"several requests in one", "interrupted: waits for a lock"))
			.flatMap((kinds) -> kinds);
	}

	/**
	 * Return how many times each row was reached, including rows that were not reached.
	 */
	Map<String, Long> table() {
		Map<String, Long> table = new TreeMap<>(this.counts.all());
		all().forEach((row) -> table.putIfAbsent(row, 0L));
		return table;
	}

	List<String> missing() {
		return rows().stream().filter((row) -> this.counts.of(row) == 0).toList();
	}

	List<String> lines() {
		List<String> lines = new ArrayList<>();
		table().forEach((row, count) -> lines.add("  %-90s %,12d%s".formatted(row, count,
				UNREACHABLE.containsKey(row) ? "  " + UNREACHABLE.get(row) : (count == 0) ? "  NOT REACHED" : "")));
		lines.add("Reached %d of %d rows; %d more cannot be reached".formatted(rows().size() - missing().size(),
				rows().size(), UNREACHABLE.size()));
		return lines;
	}

}
