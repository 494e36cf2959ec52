package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;

import io.github.redislock.AsyncLockHandle;
import io.github.redislock.simulation.redis.LuaScripts;
import org.jspecify.annotations.Nullable;

/**
 * Some instances, one server or several, and all that happens between them, in one thread
 * and in virtual time.
 */
final class World {

	private static final long SECOND = 1_000_000_000;

	/** After the last caller has ended, for what goes on in the background. */
	private static final long SETTLING = 3 * SECOND;

	/** For any wait, hold and lease. */
	private static final long LONGEST_CALM = 300 * SECOND;

	/** Locks and fences have expired by then. */
	private static final long LONGEST_MEMORY = 60 * SECOND;

	private static final long AWAKENING = 10_000_000;

	private static final int MOST_DRIFT = 4_900;

	private final Plan plan;

	private final Mistake mistake;

	private final Chance chance;

	private final VirtualTime time = new VirtualTime();

	private final Story story;

	private final Counts counts = new Counts();

	private final List<Server> servers;

	/** The present life of each. */
	private final List<Instance> instances = new ArrayList<>();

	private final List<Attempt> attempts = new ArrayList<>();

	private final Grants grants;

	private final Votes votes = new Votes(this);

	private final List<Rule> rules;

	private @Nullable Violation violation;

	private int lives;

	World(Plan plan, long seed, Mistake mistake, LuaScripts lua, boolean told) {
		this.plan = plan;
		this.mistake = mistake;
		this.chance = new Chance(seed);
		this.story = new Story(this.time, told);
		this.time.afterStep(this::throwIfBroken);
		this.servers = IntStream.rangeClosed(1, plan.setting().servers())
			.mapToObj((number) -> new Server((plan.setting().servers() > 1) ? "redis-" + number : "redis", this.time,
					lua, plan.setting().quarantine().isZero(), this.chance.between(-MOST_DRIFT, MOST_DRIFT),
					(number > 1) ? this.chance.between(-SECOND, SECOND) : 0))
			.toList();
		this.grants = new Grants(this);
		this.rules = Rules.all(this);
		this.servers.forEach((server) -> server.observer(this::ran));
		if (!plan.setting().quarantine().isZero()) {
			this.servers.forEach(Server::servedBefore);
		}
		for (int number = 0; number < plan.setting().instances(); number++) {
			this.instances.add(newLife(number));
		}
	}

	/**
	 * Let somebody watch who has no say.
	 */
	void watchedBy(Rule observer) {
		this.rules.add(observer);
	}

	/**
	 * Let everything happen.
	 * @throws Violation if a promise is broken
	 */
	void run() {
		this.plan.steps().forEach((step) -> this.time.at(step.at(), () -> step.happen(this)));
		this.time.at(this.plan.end(), this::heal);
		// Those who went on just then may have callers that ask only now.
		this.time.pass(() -> false, this.plan.end() + AWAKENING);
		this.time.pass(() -> this.attempts.stream().allMatch(Attempt::isOver), this.plan.end() + LONGEST_CALM);
		this.time.pass(() -> false, this.time.now() + SETTLING);
		this.rules.forEach(Rule::calm);
		throwIfBroken();
		this.story.tell("world", 0, () -> "all instances end");
		this.instances.stream().filter(Instance::isOpen).forEach(Instance::close);
		this.time.pass(() -> false, this.time.now() + LONGEST_MEMORY);
		this.rules.forEach(Rule::end);
		throwIfBroken();
	}

	Setting setting() {
		return this.plan.setting();
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

	/**
	 * Return what the servers know of holders.
	 */
	Grants grants() {
		return this.grants;
	}

	/**
	 * Return what the servers of a quorum have to remember.
	 */
	Votes votes() {
		return this.votes;
	}

	/**
	 * Return whether more than half of the servers decide.
	 */
	boolean isQuorum() {
		return this.servers.size() > 1;
	}

	/**
	 * Return the names of all locks that somebody wants.
	 */
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
	 * Return in which life the data are: what was granted in an earlier one may be
	 * forgotten. See {@link #votes()} for several servers.
	 */
	int generation() {
		return this.servers.stream().mapToInt(Server::generation).sum();
	}

	/**
	 * Return when nothing goes wrong any more.
	 */
	long planEnd() {
		return this.plan.end();
	}

	/**
	 * Note the first promise that is broken. Thrown after the step: futures would swallow
	 * it.
	 */
	void broken(Violation broken) {
		if (this.violation == null) {
			this.violation = broken;
			this.story.tell("world", 0, () -> "BROKEN: " + broken.promise() + ": " + broken.getMessage());
		}
	}

	private void throwIfBroken() {
		Violation present = this.violation;
		if (present != null) {
			throw present;
		}
	}

	/**
	 * Let a caller ask for a lock.
	 */
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
		Attempt attempt = new Attempt(this.attempts.size() + 1, instance, ask, this.time.now());
		this.attempts.add(attempt);
		this.counts.count("lock asked for");
		this.story.tell(instance.name(), attempt.number(), () -> "caller " + attempt + " asks for " + ask);
		this.rules.forEach((rule) -> rule.asked(attempt));
		CompletableFuture<AsyncLockHandle> future = instance.engine().async().acquire(ask.target(), ask.options());
		attempt.future(future);
		future.whenComplete((handle, failure) -> {
			if (handle != null) {
				given(attempt, handle);
			}
			else {
				failed(attempt, failure);
			}
		});
		if (ask.twist() == Ask.Twist.CANCEL) {
			instance.host().schedule(() -> {
				if (future.cancel(false)) {
					this.counts.count("wait cancelled");
				}
			}, ask.after());
		}
	}

	private void given(Attempt attempt, AsyncLockHandle handle) {
		attempt.holds(handle);
		this.counts.count("lock held");
		this.story.tell(attempt.instance().name(), handle.fencingToken(),
				() -> "caller %s has '%s', token %d, for %d ms".formatted(attempt, handle.name(), handle.fencingToken(),
						handle.remaining().toMillis()));
		handle.onLost(() -> lost(attempt));
		this.rules.forEach((rule) -> rule.given(attempt, handle));
		Ask ask = attempt.ask();
		Host host = attempt.instance().host();
		if (ask.twist() != Ask.Twist.NONE) {
			host.schedule(() -> twist(attempt), ask.after());
		}
		host.schedule(() -> release(attempt), ask.hold());
	}

	private void failed(Attempt attempt, Throwable failure) {
		attempt.over();
		Throwable reason = (failure instanceof CompletionException && failure.getCause() != null) ? failure.getCause()
				: failure;
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
		release(attempt);
	}

	private void twist(Attempt attempt) {
		if (!attempt.isHolding()) {
			return;
		}
		AsyncLockHandle handle = attempt.handle();
		Ask ask = attempt.ask();
		this.counts.count("twist: " + ask.twist());
		this.story.tell(attempt.instance().name(), ask.twist().ordinal(),
				() -> "caller %s does %s".formatted(attempt, ask.twist()));
		switch (ask.twist()) {
			case EXTEND -> handle.extend(ask.lease());
			case RENEW -> handle.renew();
			case SHORTEN -> handle.renew(ask.lease().dividedBy(2));
			case VERIFY -> handle.verify();
			case DOWNGRADE -> handle.downgrade();
			case NONE, CANCEL -> {
			}
		}
	}

	private void release(Attempt attempt) {
		if (!attempt.isHolding()) {
			return;
		}
		attempt.releases();
		this.story.tell(attempt.instance().name(), attempt.number(), () -> "caller " + attempt + " releases its lock");
		this.rules.forEach((rule) -> rule.releasing(attempt));
		attempt.handle().release().whenComplete((outcome, failure) -> {
			attempt.over();
			this.counts.count("released: " + ((outcome != null) ? outcome : failure.getClass().getSimpleName()));
			this.story.tell(attempt.instance().name(), attempt.number(),
					() -> "caller %s was released: %s".formatted(attempt, (outcome != null) ? outcome : failure));
			this.rules.forEach((rule) -> rule.released(attempt, outcome, failure));
		});
	}

	/**
	 * Begin another life of an instance that has ended.
	 */
	void restart(int number) {
		if (!this.instances.get(number).isOpen()) {
			this.instances.set(number, newLife(number));
			this.story.tell(this.instances.get(number).name(), number, () -> "begins");
		}
	}

	void goOn(Instance instance) {
		if (instance.host().goOn()) {
			this.story.tell(instance.name(), 0, () -> "goes on");
			this.rules.forEach((rule) -> rule.goneOn(instance));
		}
	}

	private Instance newLife(int number) {
		this.lives++;
		String name = String.valueOf((char) ('A' + number))
				+ ((this.lives > this.plan.setting().instances()) ? this.lives : "");
		return new Instance(this, name, this.chance.split());
	}

	/**
	 * Note that an instance asks a server.
	 */
	void asks(Server server, String script, List<byte[]> arguments) {
		this.votes.asked(server, script, arguments);
		this.rules.forEach((rule) -> rule.asks(script, arguments));
	}

	/**
	 * Note that an instance was answered.
	 */
	void answered(String script, List<byte[]> arguments, Object reply) {
		this.rules.forEach((rule) -> rule.answered(script, arguments, reply));
	}

	/**
	 * Note that a message has come.
	 */
	void heard(String instance, String message) {
		this.rules.forEach((rule) -> rule.heard(instance, message));
	}

	private void ran(Server.Evaluation evaluation) {
		this.grants.ran(evaluation);
		this.votes.ran(evaluation);
		this.rules.forEach((rule) -> rule.ran(evaluation));
	}

	/**
	 * Let everything be well again.
	 */
	private void heal() {
		this.story.tell("world", 0, () -> "nothing goes wrong any more");
		this.instances.forEach((instance) -> {
			instance.weathers().forEach(Weather::clear);
			goOn(instance);
		});
		this.servers.forEach(Server::heal);
		IntStream.range(0, this.instances.size()).forEach(this::restart);
	}

}
