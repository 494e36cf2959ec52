package io.github.redislock.simulation;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.LongStream;

import io.github.redislock.LockTarget;
import io.github.redislock.simulation.redis.LuaScripts;
import io.github.redislock.simulation.redis.NeedsLua;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThatCode;

/**
 * Shortened plans that once broke a promise. The name of the test states that promise.
 */
@NeedsLua
class FoundTests {

	private static final int PATIENT = 120_000;

	/** Seed 2463, {@code hot}. */
	@Test
	void impatientCallerDoesNotWaitForAPatientOneAheadOfIt() {
		Setting setting = Setting.USUAL.instances(1).commandTimeout(Duration.ofMillis(600));

		requireSound(new Plan(setting,
				List.of(step(1, (world) -> world.servers().get(0).standStill()),
						ask(10, Duration.ofMinutes(2), Duration.ofMillis(1_500)),
						ask(20, Duration.ofMillis(100), Duration.ofMillis(10)),
						step(400, (world) -> world.servers().get(0).goOn())),
				500_000_000));
	}

	/**
	 * Seed 2016213, {@code quorum}: a caller requested a longer lease than the uncertain
	 * one, and the lock was renewed again and again although no caller held it.
	 */
	@Test
	void leaseCutShortByARenewalWithoutReplyIsNotRenewedEndlessly() {
		Setting setting = Setting.USUAL.servers(3).instances(2).pooled(true).commandTimeout(Duration.ofMillis(865));
		LockTarget hot = LockTarget.of("hot");
		LockTarget both = LockTarget.allOf(hot, LockTarget.of("other"));

		requireSound(2_016_213, new Plan(setting,
				List.of(ask(173_575_691, hot, 1_183, PATIENT, 0, Ask.Twist.NONE, 1, 189, true),
						new Fault.Strike(469_799_746, Fault.CRASHED_REDIS, -4448586107076706622L),
						ask(815_241_721, hot, 2_950, PATIENT, 760, Ask.Twist.NONE, 340, 100, true),
						new Fault.Strike(894_438_321, Fault.LOST_ANSWERS, -5082879894249451356L),
						ask(1_090_497_677, both, 1_212, 1_203, 5, Ask.Twist.EXTEND, 3, 100, true),
						ask(1_110_101_352, both, 731, 0, 32, Ask.Twist.NONE, 21, 190, false),
						ask(1_259_597_836, hot, 1_863, PATIENT, 4, Ask.Twist.RENEW, 1, 100, true),
						ask(1_500_808_763, hot, 2_147, PATIENT, 4, Ask.Twist.RENEW, 3, 452, false)),
				1_681_000_000));
	}

	/** Seed 810003039, {@code quorum}. */
	@Test
	void releaseMissedByAServerIsRepeatedForTheLeaseOfEveryCaller() {
		Setting setting = Setting.USUAL.servers(3).instances(1);

		requireSound(new Plan(setting,
				// Locks are passed on once the first caller has made its instance
				// subscribe.
				List.of(ask(1, Duration.ofMinutes(2), Duration.ZERO),
						ask(500, Duration.ofSeconds(1), Duration.ofMinutes(2), Duration.ofMillis(10)),
						ask(505, Duration.ofMinutes(2), Duration.ofMillis(300)),
						step(700, (world) -> world.servers().get(2).readOnly(true))),
				2_200_000_000L));
	}

	/**
	 * Seed 9006554, {@code quorum}: the withdrawal released the lock, another caller
	 * acquired it, and the release reported a loss. Whether the withdrawal overtakes the
	 * release is random.
	 */
	@Test
	void withdrawalOfALateRequestDoesNotOvertakeTheRelease() {
		Setting setting = Setting.USUAL.servers(3).instances(4).pooled(true).commandTimeout(Duration.ofMillis(500));
		Duration hold = Duration.ofMillis(5);
		Plan plan = new Plan(setting, List.of(step(1, (world) -> world.servers().get(0).standStill()),
				step(1, (world) -> world.servers().get(1).standStill()),
				// The lock is acquired at 600 ms, while the outcome of its first request
				// is unknown.
				askMicros(10_000, 0, Duration.ofSeconds(1)), step(600, (world) -> world.servers().get(0).goOn()),
				step(600, (world) -> world.servers().get(1).goOn()), askMicros(1_601_000, 1, hold),
				askMicros(1_601_200, 2, hold), askMicros(1_601_400, 3, hold)), 5_000_000_000L);

		LongStream.rangeClosed(30, 60).forEach((seed) -> requireSound(seed, plan));
	}

	/**
	 * Seed 950004936, {@code force}: the promoted replica still had the waiter in its
	 * queue, and the forced release prolonged the queue, but not the hash of waiters.
	 */
	@Test
	void queueExpiresWithItsWaitersAfterAForcedRelease() {
		LockTarget reading = LockTarget.of("hot").forReading();

		requireSound(new Plan(Setting.USUAL.instances(2),
				List.of(ask(1, Duration.ofMinutes(2), Duration.ofMillis(900)),
						ask(10_000_000, reading, 1_000, 4_000, 2, Ask.Twist.NONE, 0, 100, true),
						step(500, (world) -> world.servers().get(0).stopReplication()),
						step(1_400, (world) -> world.servers().get(0).failOver()),
						step(2_000, (world) -> force(world.instances().get(0))),
						step(4_700, (world) -> inspect(world.instances().get(0)))),
				5_000_000_000L));
	}

	/**
	 * Seed 960008014, {@code quorum}: the remaining time was 0, which the script took for
	 * a lock that never expires.
	 */
	@Test
	void fenceRaisedInTheLastMillisecondOfALeaseExpires() {
		Setting setting = Setting.USUAL.servers(5).instances(2).commandTimeout(Duration.ofMillis(916));
		LockTarget hot = LockTarget.of("hot");

		requireSound(960_008_014,
				new Plan(setting,
						List.of(ask(81_911_132, hot, 866, 0, 506, Ask.Twist.VERIFY, 87, 386, true),
								ask(551_095_818, hot, 2_247, PATIENT, 1, Ask.Twist.NONE, 0, 316, true),
								new Fault.Strike(845_741_220, Fault.LATENESS, 7708919697217173852L),
								ask(862_461_456, hot, 362, 0, 1, Ask.Twist.NONE, 0, 100, true)),
						2_468_000_000L));
	}

	/**
	 * Seed 1795424172632296, {@code force}: without the fence, a later request could
	 * overtake the waiting reader.
	 */
	@Test
	void fenceIsKeptLongerIfForceReleaseLeavesAReaderWaiting() {
		requireSound(
				new Plan(Setting.USUAL.instances(2),
						List.of(ask(1, Duration.ofMinutes(2), Duration.ofSeconds(5)),
								ask(10_000_000, LockTarget.of("hot").forReading(), 1_000, PATIENT, 2, Ask.Twist.NONE, 0,
										100, true),
								step(1_600, (world) -> force(world.instances().get(0)))),
						3_000_000_000L));
	}

	/**
	 * Seeds 1795424660408604, {@code several}, and 1795424660408863, {@code handover}.
	 */
	@Test
	void callerThatDoesNotWaitSharesOneTimeoutAcrossTwoScripts() {
		Setting setting = Setting.USUAL.instances(2).commandTimeout(Duration.ofMillis(600));

		requireSound(new Plan(setting,
				List.of(ask(1, Duration.ofMinutes(2), Duration.ofSeconds(5)),
						ask(10_000_000, LockTarget.of("hot"), 5_000, 500, 2, Ask.Twist.NONE, 0, 100, true),
						step(900, (world) -> world.servers().get(0).standStill()),
						ask(1_000_000_000, LockTarget.of("hot"), 5_000, 0, 2, Ask.Twist.NONE, 0, 100, true),
						step(1_500, (world) -> {
							world.servers().get(0).goOn();
							world.servers().get(0).standStill();
						}), step(2_050, (world) -> world.servers().get(0).goOn())),
				3_000_000_000L));
	}

	/**
	 * Seed 1795499250877203, {@code quorum}: the memory of the servers was full when the
	 * token was to be written.
	 */
	@Test
	void grantIsWithdrawnIfItsDecisiveTokenCannotBeWritten() {
		Setting setting = Setting.USUAL.servers(3)
			.instances(2)
			.commandTimeout(Duration.ofMillis(383))
			.closeWait(Duration.ofSeconds(1));

		requireSound(1_795_499_250_877_203L,
				new Plan(setting,
						List.of(new Fault.Strike(4_054_772, Fault.PAUSED_REDIS, 2811346594031473574L),
								ask(11_231_506, 1, Ask.Face.BLOCKING, terms(1_870, PATIENT, 100), 154),
								ask(219_009_500, 1, Ask.Face.BLOCKING, terms(8_519, 441, 206), 212),
								new Fault.Strike(237_486_319, Fault.FULL_MEMORY, -8446584834845753619L),
								ask(395_669_616, 0, Ask.Face.BLOCKING, terms(9_729, 67, 281), 83),
								new Fault.Strike(775_820_062, Fault.PAUSED_REDIS, 1950139568876744726L),
								new Fault.Strike(781_176_215, Fault.FULL_MEMORY, 597420587644216862L)),
						1_245_000_000));
	}

	/**
	 * Seed 1795518073171893, {@code force}: Redis had carried out the renewal before the
	 * forced release.
	 */
	@Test
	void lockForceReleasedDuringARenewalIsNotPassedOn() {
		requireSound(1_795_518_073_171_893L, new Plan(Setting.USUAL.commandTimeout(Duration.ofMillis(990)),
				List.of(ask(0, 0, Ask.Face.ASYNC, terms(2_357, 108, 100), 990),
						ask(0, 0, Ask.Face.ASYNC, terms(null, PATIENT, 468), 1),
						ask(0, 1, Ask.Face.ASYNC, terms(1_792, 1_285, 45), 0),
						ask(0, 1, Ask.Face.BLOCKING, terms(5_048, 0, 144), 5),
						ask(185_123_023, 1, Ask.Face.BLOCKING, terms(8_863, 4_271, 100), 0),
						new Fault.Strike(843_577_453, Fault.FORGETFUL_REDIS, -461849861628932551L),
						new Fault.Strike(1_100_054_579, Fault.FORCED_RELEASE, 6409539579264578163L),
						new Fault.Strike(1_218_989_296, Fault.LATENESS, -4855704871068056477L)),
				1_827_000_000));
	}

	/**
	 * Seed 1795535066307178, {@code shared}: the duplicate replaced the record of the
	 * first release, so that the repeated release looked like a loss. Which request is
	 * duplicated, and when, is random.
	 */
	@Test
	void duplicateRequestDoesNotTurnTheEarlierReleaseIntoALoss() {
		Plan plan = new Plan(Setting.USUAL.instances(1).pooled(true),
				// The first caller does not wait, so the second one has a separate
				// request.
				List.of(ask(1, Duration.ZERO, Duration.ofMillis(500)), step(300, (world) -> {
					Weather weather = world.instances().get(0).weathers().get(0);
					weather.copies = 1_000;
					weather.latest = 800_000_000;
				}), ask(400, Duration.ofMinutes(2), Duration.ofMillis(2))), 2_000_000_000L);

		LongStream.rangeClosed(1, 100).forEach((seed) -> requireSound(seed, plan));
	}

	/** The lock stays in Redis for the whole lease. */
	@Test
	void runWithADayLongLeaseLastsUntilTheLockOfADeadProcessExpires() {
		requireSound(new Plan(Setting.USUAL.instances(2),
				List.of(ask(1, Duration.ofDays(1), Duration.ZERO, Duration.ofSeconds(5)),
						step(100, (world) -> world.crash(world.instances().get(0)))),
				500_000_000));
	}

	/** The lock is released long before its lease is over. */
	@Test
	void runWithADayLongLeaseLastsUntilItsLateRequestIsForgotten() {
		requireSound(new Plan(Setting.USUAL.instances(2).commandTimeout(Duration.ofMillis(300)),
				List.of(step(1, (world) -> world.servers().get(0).standStill()),
						ask(10, Duration.ofDays(1), Duration.ofMillis(100), Duration.ofMillis(10)),
						step(1_000, (world) -> world.servers().get(0).goOn())),
				1_500_000_000));
	}

	/**
	 * Seed 1795543470213871, {@code nested}: the wait ended only after a whole command
	 * timeout.
	 */
	@Test
	void waitForASilentlyLostLockEndsInTime() {
		Setting setting = Setting.USUAL.instances(1).commandTimeout(Duration.ofMillis(919));

		requireSound(new Plan(setting,
				List.of(ask(1, Duration.ofMillis(800), Duration.ofSeconds(1), Duration.ofSeconds(10)),
						step(50, (world) -> world.servers().get(0).standStill()),
						ask(100, Duration.ofSeconds(1), Duration.ofMillis(1)),
						step(3_000, (world) -> world.servers().get(0).goOn())),
				4_000_000_000L));
	}

	/**
	 * Seed 1795750191430390, {@code many}: Redis had renewed the lock that was handed
	 * over, but the reply was lost, and the release was repeated for the short first
	 * lease only.
	 */
	@Test
	void releaseAfterARenewalWithoutReplyIsRepeatedForTheWholeLease() {
		requireSound(new Plan(Setting.USUAL.instances(2).commandTimeout(Duration.ofMillis(850)),
				List.of(ask(1, Duration.ofMinutes(2), Duration.ofMillis(350)),
						ask(340_000_000, LockTarget.of("hot"), 8_000, PATIENT, 310, Ask.Twist.NONE, 0, 100, true),
						step(400, (world) -> world.instances().get(1).weathers().get(0).silenceToClient(1_500_000_000)),
						step(650, (world) -> world.servers().get(0).readOnly(true))),
				2_500_000_000L));
	}

	private static void requireSound(Plan plan) {
		requireSound(1, plan);
	}

	private static void requireSound(long seed, Plan plan) {
		try (LuaScripts lua = new LuaScripts(); World world = new World(plan, seed, Mistake.NONE, lua, false)) {
			assertThatCode(world::run).doesNotThrowAnyException();
		}
	}

	/**
	 * Return a request of instance B. All times except the first are in milliseconds.
	 */
	private static Step ask(long at, LockTarget target, int lease, int wait, int hold, Ask.Twist twist, int after,
			int retryDelay, boolean autoRenew) {
		Terms terms = terms(lease, wait, retryDelay).autoRenew(autoRenew);
		return new Ask(at, 1, target, terms, Duration.ofMillis(hold), Ask.Face.ASYNC, twist, Duration.ofMillis(after));
	}

	private static Step ask(long at, int instance, Ask.Face face, Terms terms, int hold) {
		return ask(at, instance, face, terms, Duration.ofMillis(hold));
	}

	private static Step ask(long at, int instance, Ask.Face face, Terms terms, Duration hold) {
		return new Ask(at, instance, LockTarget.of("hot"), terms, hold, face, Ask.Twist.NONE, Duration.ZERO);
	}

	/**
	 * Return terms with the given times in milliseconds. With a lease of {@code null},
	 * the lock never expires.
	 */
	private static Terms terms(@Nullable Integer lease, int wait, int retryDelay) {
		return new Terms((lease != null) ? Duration.ofMillis(lease) : null, Duration.ofMillis(wait),
				Duration.ofMillis(retryDelay), true, Duration.ZERO, null);
	}

	private static Step ask(long millis, Duration wait, Duration hold) {
		return ask(millis, Duration.ofSeconds(10), wait, hold);
	}

	private static Step ask(long millis, Duration lease, Duration wait, Duration hold) {
		return ask(millis * 1_000_000, 0, Ask.Face.ASYNC, Terms.of(lease, wait), hold);
	}

	private static Step askMicros(long micros, int instance, Duration hold) {
		Terms terms = Terms.of(Duration.ofSeconds(10), Duration.ofMinutes(2)).retryDelay(Duration.ofMillis(1));
		return ask(micros * 1_000, instance, Ask.Face.ASYNC, terms, hold);
	}

	private static void force(Instance instance) {
		instance.host().bring(() -> instance.engine().async().forceRelease(LockTarget.of("hot")));
	}

	private static void inspect(Instance instance) {
		instance.host().bring(() -> instance.engine().async().inspect(LockTarget.of("hot")));
	}

	private static Step step(long millis, Consumer<World> action) {
		return new Action(millis * 1_000_000, action);
	}

	private record Action(long at, Consumer<World> action) implements Step {

		@Override
		public Step later(long nanos) {
			return new Action(this.at + nanos, this.action);
		}

		@Override
		public void happen(World world) {
			this.action.accept(world);
		}

	}

}
