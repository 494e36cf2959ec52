package io.github.redislock.simulation;

import java.util.Locale;
import java.util.Set;

import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * A mistake that the simulation must find, to prove that its rules work. Some of the
 * mistakes are also refuted by the model in {@code verification/spec}, and some are
 * former bugs.
 */
enum Control {

	CLAIM_FROM_ARRIVAL("a lease is counted from the arrival of the hand-over's message", Scenario.HOT, "Exclusion",
			new ChangedStore((store, host) -> new ClaimMistakes.FromArrival(store, host), Fault.PAUSED_INSTANCE)),

	CLAIM_FROM_LATEST("a handed-over lease is counted from the latest request, not from the granted one", Scenario.HOT,
			"Exclusion", new ChangedStore((store, host) -> new ClaimMistakes.FromLatest(store), Fault.PAUSED_INSTANCE)),

	/**
	 * The engine treats a request without a reply as if it had never been sent.
	 */
	IMPATIENT_START("a message starts a hold although a request has no reply", Scenario.HOT, "ClosedStaysClosed",
			new ClaimMistakes.Impatience()),

	NO_TOMBSTONE("a withdrawal leaves no tombstone that stops a late request", Scenario.HOT, "ClosedStaysClosed",
			ChangedScripts
				.replace("withdraw",
						"if refuse_for ~= '0' then redis.call('SET', withdrawn, '1', 'PX', refuse_for) end", "")
				.among(Fault.LATENESS, Fault.COPIES)),

	UNCHECKED_RELEASE("a release does not check the owner of the lock", Scenario.HOT, "KeptByOthers",
			ChangedScripts.replace("release", "if hold and hold.owner == owner then", "if hold then")),

	/** As a result, a late release of one hold ends another hold. */
	REUSED_OWNER("an instance has one owner token for all its requests", Scenario.HOT, "Exclusion",
			new ChangedStore((store, host) -> new OneOwner(store), Fault.LATENESS, Fault.LOST_ANSWERS,
					Fault.SILENCE_TO_CLIENT)),

	/**
	 * The engine sends a change of a lease only after the reply to the previous one. With
	 * this mistake, a renewal with a shorter lease follows each renewal.
	 */
	LATE_SHORTENING("a renewal with a shorter lease comes after one with a longer lease", Scenario.HOT, "Exclusion",
			new ChangedStore((store, host) -> new LateShortening(store))),

	NO_HEART_BEAT("a waiter sends one request and then relies on messages", Scenario.HOT, "EveryoneServed",
			new ChangedStore((store, host) -> new NoHeartBeat(store))),

	NO_EXPIRY("a lock has no time to live", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("acquire", "ttl > 0 and {'PX', ttl, free} or {free}", "{free}")),

	NEEDLESS_TOMBSTONE("a waiter whose requests all got a reply leaves a tombstone", Scenario.HOT,
			"NoNeedlessTombstone", new ChangedStore((store, host) -> new NeedlessTombstone(store))),

	FORGOTTEN_MINORITY("a quorum's withdrawal stops at a majority", Scenario.QUORUM, "NothingLeft",
			new ForgottenMinority()),

	DEAF_TO_FORCE("new holds begin after a forced release within a turn", Scenario.FORCE, "TurnEndsByForce",
			new ChangedStore((store, host) -> new DeafToForce(store), Fault.FORCED_RELEASE)),

	/** The scripts mistake the owner tokens of instance A for values of shared locks. */
	SHARED_OWNER("an owner token looks like the value of a shared lock", Scenario.SHARED, "KeptByOthers",
			ChangedScripts.replace("acquire", "return value and string.find(value, '^shared",
					"return value and (string.sub(value, 1, 2) == 'A/') or value and string.find(value, '^shared")),

	/** The time of day stops as well, so a suspension of the machine goes unnoticed. */
	STILL_CLOCK("a lease is measured by a clock that stopped while the machine was suspended", Scenario.HOT,
			"Exclusion", new StillClock()),

	FORGETFUL_RELEASE("a release that was sent twice reports that the lock was lost", Scenario.HOT, "TrueRelease",
			ChangedScripts.replace("release", "if hold then return hold.previous == request and 1 or 0 end", "")
				.and("release", "return (record.owner == owner or record.previous == request) and 1 or 0", "return 0")
				.among(Fault.COPIES)),

	UNSEEN_RELEASE("a copy of a request acquires the lock that the request has released", Scenario.HOT,
			"ClosedStaysClosed",
			ChangedScripts.replace("release", ", AFTER_RELEASE, '!')", ", AFTER_RELEASE)").among(Fault.COPIES)),

	KEPT_GRANT("a caller keeps the lock that it is granted at the moment of its interrupt", Scenario.HOT, "NothingLeft",
			new ChangedStore((store, host) -> new KeptGrant(store))),

	SWALLOWED_INTERRUPT("a thread loses its interrupted flag", Scenario.HOT, "InterruptHeard",
			new ChangedStore((store, host) -> new SwallowedInterrupt(store))),

	EARLY_OPENING("a release frees a lock whose minimum hold is not over", Scenario.HOT, "StaysClosed",
			new ChangedStore((store, host) -> new EarlyOpening(store))),

	HEEDLESS_TAKE("the script take does not check whether there is a fence", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("take", "redis.pcall('EXISTS', unpack(KEYS, count + 1)) == 0", "true")
				.among(Fault.LATENESS, Fault.LOST_ANSWERS)),

	GREEDY_FREE("the script free deletes a lock without checking its owner", Scenario.HOT, "Exclusion",
			ChangedScripts.replace("free", "redis.pcall('GET', lock) == ARGV[1]", "redis.pcall('GET', lock)")
				.and("free", "values[index] == ARGV[index]", "values[index]")),

	ONE_KEY_BESIDE_A_QUEUE("a lock stays a single key while another instance waits", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("acquire", "if hold and hold.bare then record_hold(l, hold) end", "")),

	UNKEPT_TOMBSTONE("after a withdrawal, the fence expires before the tombstone", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("withdraw", "keep_fence(l, tonumber(refuse_for), tonumber(refuse_for))", "local _")
				.among(Fault.LATENESS, Fault.LOST_ANSWERS)),

	SHORT_FENCE("after a release, the fence expires before the queue", Scenario.HOT, "SoundStructure",
			ChangedScripts
				.replace("release", "math.max(ttl + FENCE_MARGIN + ahead_of_clock(hold.token, hold.block), kept)",
						"ttl + FENCE_MARGIN + ahead_of_clock(hold.token, hold.block)")
				.and("release", ", kept_for(l)))", "))")),

	FATAL_QUESTION("a request for a lock whose key has lost its expiry deletes the key", Scenario.EDITED,
			"KeptByOthers",
			ChangedScripts
				.replace("acquire",
						"if ttl > 0 then redis.call('PEXPIRE', l.lock, ttl) else redis.call('PERSIST', l.lock) end\n"
								+ "  redis.call('SET', l.lock, hold.owner, 'KEEPTTL')",
						"redis.call('PEXPIRE', l.lock, ttl)\n  redis.call('SET', l.lock, hold.owner, 'PX', ttl)")
				.among(Fault.LOST_EXPIRY)),

	/**
	 * As a result, a late release of the former owner counts as a release of the lock.
	 */
	OLD_FENCE("the script take leaves the fence of a former owner", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("take", "if past then redis.pcall('DEL', fence) end", "")),

	/** The replies for several locks that one script acquires are mixed up. */
	CROSSED_ANSWERS("a caller gets the reply to another caller of its instance", Scenario.MANY, "Exclusion",
			new CrossedReplies()),

	NO_RENEWAL("no lease is renewed", Scenario.HOT, "RenewedHoldLasts",
			new ChangedStore((store, host) -> new NoRenewal(store))),

	FALSE_DENIAL("a renewal reports to the owner of a lock that another owner has it", Scenario.HOT, "TrueLoss",
			new ChangedStore((store, host) -> new FalseDenial(store))),

	SLOW_HAND_OVER("the message of a hand-over takes two seconds", Scenario.HOT, "PromptHandOver",
			new ChangedStore((store, host) -> new SlowHandOver(store, host))),

	LAST_FIRST("a release hands the lock over to the last request in the queue", Scenario.HOT, "ServedInOrder",
			ChangedScripts.replace("release", "local first = redis.pcall('ZPOPMIN', queue)",
					"local first = redis.call('ZRANGE', queue, '-1', '-1', 'WITHSCORES')\n"
							+ "  if first[1] then redis.call('ZREM', queue, first[1]) end")),

	SHORT_QUEUE("a request joins the queue although the fence expires before it", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("acquire", "if left and left >= 4000 and left <= 5000 then", "if left then")),

	UNCHECKED_PASS("the usual case of a release does not check the owner of the lock", Scenario.HOT, "KeptByOthers",
			ChangedScripts
				.replace("release", "if value and string.sub(value, 1, #owner) == owner then", "if value then")
				.among(Fault.COPIES)),

	LASTING_RECORD("the usual case of a release hands the lock over to a request that has asked again", Scenario.HOT,
			"SoundStructure", ChangedScripts.replace("release", " and not string.find(first[2], '.', 1, true)", "")),

	/** A poller gets no message, so it learns of the hand-over late. */
	UNMARKED_POLLER("the usual case lets a request wait as if it got messages", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("acquire", "local kept = #asked_at > 1 and", "local kept = #asked_at > 0 and")),

	WAITER_TWICE("the scripts put different entries of one request into the queue", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("acquire", "local asker = read_entry(ARGV[first])",
					"local asker = read_entry((string.gsub(ARGV[first], ' ', ' 0', 1)))")),

	LASTING_ENTRY("a withdrawn request stays in the queue", Scenario.HOT, "SoundStructure",
			ChangedScripts.replace("withdraw", "remove_waiter(l, asker.entry, asker.request)", "")),

	NO_ACKNOWLEDGEMENT("a grant counts before the replica that is promoted has it", Scenario.HOT, "Exclusion",
			new NoAcknowledgement()),

	LATE_TIMERS("timers of the engine run 0.7 seconds late", Scenario.HOT, "BoundedWaiting", new LateTimers()),

	WRONG_HOLDER("a refusal names another lock than the one for which its caller waits", Scenario.NESTED,
			"TrueDeadlock", new ChangedStore((store, host) -> new WrongHolder(store))),

	NO_SEARCH("no instance searches for deadlocks", Scenario.NESTED, "TrueDeadlock", new NoSearch()),

	SLOW_ACTIONS("a loss is reported only after other slow loss actions", Scenario.HOT, "LossTold", new SlowActions());

	private static final int SEEDS = 3_000;

	private final String words;

	private final Scenario scenario;

	private final String promise;

	private final Mistake mistake;

	Control(String words, Scenario scenario, String promise, Mistake mistake) {
		this.words = words;
		this.scenario = scenario;
		this.promise = promise;
		this.mistake = mistake;
	}

	String words() {
		return this.words;
	}

	Scenario scenario() {
		return this.scenario;
	}

	boolean isOf(Run run) {
		return run.mistake().equals(this.mistake);
	}

	/**
	 * Return the run of a seed.
	 * @param mended whether to leave out the mistake
	 */
	Run run(long seed, boolean mended, Set<Integer> without) {
		return run(seed, this.scenario, mended, without);
	}

	private Run run(long seed, Scenario present, boolean mended, Set<Integer> without) {
		return new Run(seed, present, mended ? this.mistake.mended() : this.mistake, without);
	}

	/**
	 * Look for the mistake.
	 * @return the run of the first seed that breaks the promise, or the same run without
	 * the mistake if it breaks a promise, too; {@code null} if no seed breaks the promise
	 */
	@Nullable Finding find(LuaScripts lua) {
		return find(lua, this.scenario);
	}

	@Nullable Finding find(LuaScripts lua, Scenario present) {
		for (int seed = 1; seed <= SEEDS; seed++) {
			Run run = run(seed, present, false, Set.of());
			Violation violation = run.go(lua, false).violation();
			if (violation != null && this.promise.equals(violation.promise())) {
				Run mended = run(seed, present, true, Set.of());
				Violation other = mended.go(lua, false).violation();
				return (other != null) ? new Finding(mended, other) : new Finding(run, violation);
			}
		}
		return null;
	}

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	record Finding(Run run, Violation violation) {

		/**
		 * Return whether the planted mistake was found rather than another bug.
		 */
		boolean isMistake() {
			return this.run.mistake().isMistake();
		}

	}

}
