package io.github.redislock.simulation;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;

import io.github.redislock.HeldLock;
import io.github.redislock.ReleaseOutcome;
import io.github.redislock.internal.engine.EngineStates;
import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * The instances, one or several servers, and all events between them, in virtual time and
 * with one running thread at a time.
 */
final class World implements AutoCloseable {

	private static final long SECOND = 1_000_000_000;

	/** The time within which background work ends after the last caller has finished. */
	private static final long SETTLING = 3 * SECOND;

	/**
	 * The time within which all callers finish after the plan, not counting the longest
	 * hold.
	 */
	private static final long LONGEST_CALM = 300 * SECOND;

	/** The time after which locks and fences have expired. */
	private static final long LONGEST_MEMORY = 60 * SECOND;

	/**
	 * The time after which withdrawals of requests for locks that never expire have
	 * expired, too.
	 */
	private static final long LONGEST_ENDLESS_MEMORY = 901 * SECOND;

	private static final Duration REPLIED = Duration.ofMillis(500);

	private static final Duration HOURS = Duration.ofHours(2);

	/** A time longer than any remaining lease, except of a lock that never expires. */
	private static final Duration LONGEST_LIFE = Duration.ofDays(1);

	private static final long AWAKENING = 10_000_000;

	private final Plan plan;

	private final Mistake mistake;

	private final Chance chance;

	private final VirtualTime time = new VirtualTime();

	private final Story story;

	private final Counts counts = new Counts();

	private final EngineStates states = new EngineStates();

	private final List<Server> servers;

	/** The current process of each instance. */
	private final List<Instance> instances = new ArrayList<>();

	private final List<Attempt> attempts = new ArrayList<>();

	/**
	 * The owner and token of each hold so far, to recognize one that is entered again.
	 */
	private final Set<String> begun = new HashSet<>();

	private final Grants grants;

	private final Votes votes = new Votes(this);

	private final long firstFault;

	private final List<Rule> rules;

	private final Operator operator;

	private final List<Caller> callers = new ArrayList<>();

	private @Nullable Violation violation;

	private int lives;

	World(Plan plan, long seed, Mistake mistake, LuaScripts lua, boolean told) {
		this.plan = plan;
		this.mistake = mistake;
		this.chance = new Chance(seed);
		this.firstFault = plan.steps()
			.stream()
			.filter((step) -> !(step instanceof Ask))
			.mapToLong(Step::at)
			.min()
			.orElse(Long.MAX_VALUE);
		this.story = new Story(this.time, told);
		this.time.afterStep(this::stepDone);
		this.servers = IntStream.rangeClosed(1, plan.setting().servers())
			.mapToObj((number) -> new Server((plan.setting().servers() > 1) ? "redis-" + number : "redis", this.time,
					lua, plan.setting().quarantine().isZero(), plan.setting().acknowledged(),
					this.chance.between(-Instance.MOST_DRIFT, Instance.MOST_DRIFT),
					(number > 1) ? this.chance.between(-SECOND, SECOND) : 0))
			.toList();
		this.grants = new Grants(this);
		NothingLeft nothingLeft = new NothingLeft(this);
		this.rules = Rules.all(this, nothingLeft);
		this.operator = new Operator(this, nothingLeft);
		this.servers.forEach((server) -> server.observer(this::ran));
		if (!plan.setting().quarantine().isZero()) {
			this.servers.forEach(Server::servedBefore);
		}
		for (int number = 0; number < plan.setting().instances(); number++) {
			this.instances.add(newLife(number));
		}
	}

	void watchedBy(Rule observer) {
		this.rules.add(observer);
	}

	void run() {
		this.plan.steps().forEach((step) -> this.time.at(step.at(), () -> step.happen(this)));
		this.time.at(this.plan.end(), this::heal);
		// Callers on hosts that have just resumed may begin only now.
		this.time.pass(() -> false, this.plan.end() + AWAKENING);
		if (isAnyEndless()) {
			this.operator.begin();
		}
		this.time.pass(this::isOver, this.plan.end() + LONGEST_CALM + longestHold());
		this.time.pass(() -> false, this.time.now() + SETTLING);
		this.rules.forEach(Rule::calm);
		throwIfBroken();
		if (isAnyEndless()) {
			this.operator.look();
			this.time.pass(() -> false, this.time.now() + SETTLING);
		}
		this.story.tell("world", 0, () -> "all instances shut down");
		this.instances.stream().filter(Instance::isOpen).forEach(Instance::close);
		this.time.pass(() -> false, this.time.now() + longestMemory());
		this.rules.forEach(Rule::end);
		throwIfBroken();
	}

	boolean isOver() {
		return this.attempts.stream().allMatch(Attempt::isOver);
	}

	private boolean isAnyEndless() {
		return this.attempts.stream().anyMatch((attempt) -> attempt.ask().terms().isEndless());
	}

	/**
	 * Return the longest hold in true time, by a clock that is up to one percent slow.
	 */
	private long longestHold() {
		long longest = this.attempts.stream().mapToLong((attempt) -> attempt.ask().hold().toNanos()).max().orElse(0);
		return longest + longest / 100;
	}

	/**
	 * Return the time until all keys have expired. Locks of dead processes last for their
	 * leases, and their fences even longer.
	 */
	private long longestMemory() {
		long longestLease = this.attempts.stream()
			.filter((attempt) -> !attempt.ask().terms().isEndless())
			.mapToLong((attempt) -> attempt.ask().terms().requiredLease().toNanos())
			.max()
			.orElse(0);
		// The event that ends a hold stays scheduled even if the lock is lost earlier.
		return Math.max(isAnyEndless() ? LONGEST_ENDLESS_MEMORY : LONGEST_MEMORY,
				Math.max(3 * longestLease, longestHold()));
	}

	Setting setting() {
		return this.plan.setting();
	}

	/**
	 * Return when all faults end.
	 */
	long end() {
		return this.plan.end();
	}

	Mistake mistake() {
		return this.mistake;
	}

	VirtualTime time() {
		return this.time;
	}

	Story story() {
		return this.story;
	}

	Counts counts() {
		return this.counts;
	}

	List<Server> servers() {
		return this.servers;
	}

	List<Instance> instances() {
		return this.instances;
	}

	/**
	 * Return all attempts, in the order in which they began.
	 */
	List<Attempt> attempts() {
		return this.attempts;
	}

	Grants grants() {
		return this.grants;
	}

	Votes votes() {
		return this.votes;
	}

	boolean isQuorum() {
		return this.servers.size() > 1;
	}

	List<String> names() {
		return this.plan.steps()
			.stream()
			.filter(Ask.class::isInstance)
			.flatMap((step) -> ((Ask) step).target().names().stream())
			.distinct()
			.sorted()
			.toList();
	}

	/**
	 * Return the current generation of the data. Grants of an earlier generation may be
	 * forgotten. See {@link #votes()} for several servers.
	 */
	int generation() {
		return this.servers.stream().mapToInt(Server::generation).sum();
	}

	boolean isUndisturbed() {
		return this.time.now() < this.firstFault && !this.time.isDisturbed();
	}

	/**
	 * Return the longest time by which the reply to a caller may be late.
	 */
	Duration longestReply() {
		// A quorum takes one more timeout if votes are split.
		Duration timeout = setting().commandTimeout().multipliedBy(isQuorum() ? 2 : 1);
		return (timeout.compareTo(REPLIED) > 0) ? timeout : REPLIED;
	}

	/**
	 * Record the first broken promise. It is thrown after the step, because futures would
	 * swallow it.
	 */
	void broken(Violation broken) {
		if (this.violation == null) {
			this.violation = broken;
			this.story.tell("world", 0, () -> "BROKEN: " + broken.promise() + ": " + broken.getMessage());
		}
	}

	private void stepDone() {
		this.instances.stream()
			.filter((instance) -> instance.host().wasActive())
			.forEach((instance) -> this.states.look(instance.engine()));
		throwIfBroken();
	}

	EngineStates states() {
		return this.states;
	}

	private void throwIfBroken() {
		Violation present = this.violation;
		if (present != null) {
			throw present;
		}
	}

	void ask(Ask ask) {
		Instance instance = this.instances.get(ask.instance());
		if (!instance.isOpen()) {
			return;
		}
		instance.host().bring(() -> ask(ask, instance));
	}

	private void ask(Ask ask, Instance instance) {
		if (!instance.isOpen()) {
			return;
		}
		if (ask.face() == Ask.Face.BLOCKING) {
			Caller caller = newCaller(instance);
			caller.execute(() -> ask(ask, instance, caller));
		}
		else {
			begin(new AsyncAttempt(this.attempts.size() + 1, instance, ask, this.time.now()));
		}
	}

	Caller newCaller(Instance instance) {
		Caller caller = instance.host().newCaller();
		this.callers.add(caller);
		return caller;
	}

	/**
	 * Begin an attempt on the current thread, which belongs to its caller.
	 */
	void ask(Ask ask, Instance instance, Caller caller) {
		begin(new BlockingAttempt(this.attempts.size() + 1, instance, ask, this.time.now(), caller));
	}

	private void begin(Attempt attempt) {
		this.attempts.add(attempt);
		Ask ask = attempt.ask();
		Instance instance = attempt.instance();
		this.counts.count("lock requested: " + ask.face());
		ask.terms().extras().forEach((extra) -> this.counts.count("lock requested: " + extra));
		this.story.tell(instance.name(), attempt.number(), () -> "caller " + attempt + " asks for " + ask);
		this.rules.forEach((rule) -> rule.asked(attempt));
		if (ask.twist() == Ask.Twist.STOP_WAITING) {
			instance.host().schedule(() -> attempt.stopWaiting(this), ask.after());
		}
		else if (ask.twist() == Ask.Twist.INTERRUPT_AT_ANSWER) {
			Objects.requireNonNull(attempt.caller()).interruptAtReply();
		}
		attempt.begin(this);
	}

	void interruptCallers(Instance instance) {
		this.attempts.stream()
			.filter((attempt) -> attempt.instance() == instance && !attempt.isOver())
			.map(Attempt::caller)
			.filter(Objects::nonNull)
			.distinct()
			.toList()
			.forEach(this::interrupt);
	}

	void interrupt(Caller caller) {
		this.counts.count(caller.interrupt() ? "interrupted: waits for a lock" : "interrupted: does not");
	}

	void given(Attempt attempt) {
		HeldLock handle = attempt.handle();
		this.counts.count("lock held");
		this.story.tell(attempt.instance().name(), handle.fencingToken(),
				() -> "caller %s has '%s', token %d, for %d ms".formatted(attempt, handle.name(), handle.fencingToken(),
						remaining(handle).toMillis()));
		attempt.onLost(() -> lost(attempt));
		this.rules.forEach((rule) -> rule.given(attempt, handle));
		if (this.begun.add(handle.owner() + " " + handle.fencingToken())) {
			this.rules.forEach((rule) -> rule.began(attempt, handle));
		}
		Ask ask = attempt.ask();
		Host host = attempt.instance().host();
		if (ask.twist().needsLock()) {
			host.schedule(() -> attempt.execute(() -> twist(attempt)), ask.after());
		}
		host.schedule(() -> attempt.execute(() -> release(attempt)), ask.hold());
	}

	/**
	 * Return how much longer a lock is held, or one day if it never expires.
	 */
	static Duration remaining(HeldLock handle) {
		Duration remaining = handle.remaining();
		return (remaining.compareTo(LONGEST_LIFE) < 0) ? remaining : LONGEST_LIFE;
	}

	/**
	 * Return whether another caller uses or has used the explicit owner token of an
	 * attempt. Such callers are not protected from each other.
	 */
	boolean isShared(Attempt attempt) {
		return attempt.ask().terms().owner() != null && this.attempts.stream()
			.anyMatch((other) -> !other.equals(attempt) && other.hasSay() && other.sharesOwner(attempt));
	}

	/**
	 * Return whether an owner token belongs to a living instance.
	 */
	boolean isAlive(String owner) {
		return this.instances.stream().anyMatch((instance) -> instance.owns(owner));
	}

	/**
	 * Return whether a caller on a living instance has requested a lock with this
	 * explicit owner token.
	 */
	boolean isAskedFor(String lock, String owner) {
		return this.attempts.stream()
			.anyMatch((attempt) -> owner.equals(attempt.ask().terms().owner())
					&& attempt.ask().target().names().stream().map(LockNames::lock).anyMatch(lock::equals)
					&& this.instances.contains(attempt.instance()));
	}

	void failed(Attempt attempt, Throwable reason) {
		attempt.over();
		this.counts.count("not acquired: " + reason.getClass().getSimpleName());
		this.story.tell(attempt.instance().name(), reason.getClass().getSimpleName().hashCode(),
				() -> "caller %s does not get the lock: %s".formatted(attempt, reason.getMessage()));
		this.rules.forEach((rule) -> rule.failed(attempt, reason));
	}

	private void lost(Attempt attempt) {
		attempt.lose();
		this.counts.count("lock lost");
		this.story.tell(attempt.instance().name(), attempt.number(), () -> "caller " + attempt + " has lost its lock");
		this.rules.forEach((rule) -> rule.lost(attempt));
		attempt.execute(() -> release(attempt));
	}

	private void twist(Attempt attempt) {
		if (!attempt.isHolding()) {
			return;
		}
		Ask ask = attempt.ask();
		this.counts.count("twist: " + ask.twist());
		this.story.tell(attempt.instance().name(), ask.twist().ordinal(),
				() -> "caller %s does %s".formatted(attempt, ask.twist()));
		attempt.twist(this);
	}

	private void release(Attempt attempt) {
		if (!attempt.isHolding()) {
			return;
		}
		attempt.releases();
		this.story.tell(attempt.instance().name(), attempt.number(), () -> "caller " + attempt + " releases its lock");
		this.rules.forEach((rule) -> rule.releasing(attempt));
		attempt.release((outcome, failure) -> {
			attempt.over();
			String told = (outcome != null) ? outcome.name() : String.valueOf(failure);
			this.counts.count("released: " + told);
			if (outcome == ReleaseOutcome.RELEASED && !attempt.isLost() && attempt.ask().hold().compareTo(HOURS) > 0) {
				this.counts.count("lock held for hours");
			}
			this.story.tell(attempt.instance().name(), attempt.number(),
					() -> "caller %s was released: %s".formatted(attempt, told));
			this.rules.forEach((rule) -> rule.released(attempt, outcome, failure));
		});
	}

	void crash(Instance instance) {
		instance.crash();
		this.callers.stream().filter((caller) -> caller.isOf(instance.host())).forEach(Caller::abandon);
	}

	@Override
	public void close() {
		this.callers.forEach(Caller::abandon);
	}

	void restart(int number) {
		if (!this.instances.get(number).isOpen()) {
			this.instances.set(number, newLife(number));
			this.story.tell(this.instances.get(number).name(), number, () -> "starts");
		}
	}

	void pause(Host host, long nanos) {
		this.instances.stream()
			.filter((instance) -> instance.host() == host)
			.forEach((instance) -> stop(instance, false, nanos));
	}

	void stop(Instance instance, boolean suspend, long nanos) {
		if (instance.host().stop(suspend)) {
			this.story.tell(instance.name(), 0, () -> suspend ? "is suspended" : "stops");
			this.time.after(nanos, () -> goOn(instance));
		}
	}

	void goOn(Instance instance) {
		if (instance.host().goOn()) {
			this.story.tell(instance.name(), 0, () -> "resumes");
			this.rules.forEach((rule) -> rule.goneOn(instance));
		}
	}

	private Instance newLife(int number) {
		this.lives++;
		String name = String.valueOf((char) ('A' + number))
				+ ((this.lives > this.plan.setting().instances()) ? this.lives : "");
		return new Instance(this, name, this.chance.split());
	}

	void asks(Server server, String script, List<byte[]> arguments) {
		this.votes.asked(server, script, arguments);
		List<Questions.Question> questions = Questions.of(script, List.of(), arguments, null);
		if (questions.size() > 1) {
			this.counts.count("several requests in one");
		}
		questions
			.forEach((question) -> this.rules.forEach((rule) -> rule.asks(question.script(), question.arguments())));
	}

	void replied(String script, List<byte[]> arguments, Object reply) {
		Questions.of(script, List.of(), arguments, reply)
			.forEach((question) -> this.rules.forEach((rule) -> rule.replied(question.script(), question.arguments(),
					Objects.requireNonNull(question.reply()))));
	}

	void heard(String instance, String message) {
		this.rules.forEach((rule) -> rule.heard(instance, message));
	}

	private void ran(Server.Evaluation evaluation) {
		this.counts.count("script: " + evaluation.script());
		Questions.of(evaluation).forEach((question) -> {
			this.grants.ran(question);
			this.votes.ran(question);
			this.rules.forEach((rule) -> rule.ran(question));
		});
	}

	private void heal() {
		this.story.tell("world", 0, () -> "all faults have ended");
		this.instances.forEach((instance) -> {
			instance.weathers().forEach(Weather::clear);
			goOn(instance);
		});
		this.servers.forEach(Server::heal);
		IntStream.range(0, this.instances.size()).forEach(this::restart);
	}

}
