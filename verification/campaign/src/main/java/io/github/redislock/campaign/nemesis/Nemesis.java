package io.github.redislock.campaign.nemesis;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

import io.github.redislock.campaign.worker.Pause;

/**
 * Causes one fault after another, and sometimes two at once. The same seed gives the same
 * faults in the same order.
 */
public final class Nemesis {

	/** On average, one out of this many faults is accompanied by a second one. */
	private static final int ALONE = 8;

	private final Field field;

	private final List<Fault> kinds;

	private final Duration calm;

	private final Random random;

	private final Deque<Fault> deck = new ArrayDeque<>();

	private final Map<Fault, Integer> counts = new EnumMap<>(Fault.class);

	private final List<String> log = new ArrayList<>();

	/**
	 * Create a nemesis.
	 * @param field the servers and processes that faults may hit
	 * @param kinds the faults to use
	 * @param calm the shortest pause before a fault
	 * @param seed the random seed
	 */
	public Nemesis(Field field, List<Fault> kinds, Duration calm, long seed) {
		this.field = field;
		this.kinds = List.copyOf(kinds);
		this.calm = calm;
		this.random = new Random(seed);
	}

	/**
	 * Cause faults for some time.
	 * @param length the longest time for which to cause faults
	 * @param enough returns whether to stop earlier
	 */
	public void rage(Duration length, BooleanSupplier enough) {
		long begin = System.nanoTime();
		while (System.nanoTime() - begin < length.toNanos() && !enough.getAsBoolean()) {
			Pause.of(this.calm.plusMillis(this.random.nextInt(700)));
			Fault fault = next();
			if (this.random.nextInt(ALONE) > 0) {
				strike(fault, begin, this.random.nextLong());
				continue;
			}
			Fault second = next();
			long seed = this.random.nextLong();
			CompletableFuture<Void> beside = CompletableFuture.runAsync(() -> strike(second, begin, seed));
			strike(fault, begin, this.random.nextLong());
			beside.join();
		}
	}

	public Map<Fault, Integer> counts() {
		return this.counts;
	}

	public List<String> log() {
		return this.log;
	}

	private void strike(Fault fault, long begin, long seed) {
		long from = System.nanoTime();
		fault.strike(this.field, new Random(seed));
		synchronized (this.counts) {
			this.counts.merge(fault, 1, Integer::sum);
			this.log.add("%s from %d to %d (%d ms after the beginning, for %d ms)".formatted(fault.label(), from,
					System.nanoTime(), (from - begin) / 1_000_000, (System.nanoTime() - from) / 1_000_000));
		}
	}

	/**
	 * Return the next fault. Each kind is used once before any kind is repeated.
	 */
	private Fault next() {
		if (this.deck.isEmpty()) {
			List<Fault> shuffled = new ArrayList<>(this.kinds);
			Collections.shuffle(shuffled, this.random);
			this.deck.addAll(shuffled);
		}
		return this.deck.remove();
	}

}
