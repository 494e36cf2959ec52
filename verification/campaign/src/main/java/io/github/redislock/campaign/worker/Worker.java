package io.github.redislock.campaign.worker;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.redislock.campaign.history.Recorder;
import io.github.redislock.campaign.worker.Locks.DeniedException;
import org.jspecify.annotations.Nullable;

/**
 * A process whose threads contend for locks and which is a candidate for a role, until it
 * is ordered to stop.
 * <p>
 * Prints {@code ready} once it runs. It accepts these orders: {@code reopen} shuts the
 * instance down and starts another one; {@code resign} ends the leadership;
 * {@code interrupt <ms>} interrupts threads more often for that time; {@code rest} stops
 * acquiring locks, and prints {@code resting} when no lock is held any more; {@code end}
 * ends the process.
 */
public final class Worker {

	private static final int WARM_UP = 20;

	private final Setup setup;

	private final Recorder recorder;

	private final Witness witness;

	private final ExecutorService others = Executors.newSingleThreadExecutor((task) -> new Thread(task, "other"));

	/** The threads to interrupt. */
	private final List<Thread> threads = new ArrayList<>();

	private @Nullable Thread patient;

	private volatile Instance instance;

	private volatile boolean resting;

	/** The time until which threads are interrupted again and again. */
	private volatile long stormUntil = System.nanoTime();

	private Worker(Setup setup) {
		this.setup = setup;
		this.recorder = new Recorder(setup.history());
		this.witness = new Witness(setup.directory(), setup.keys());
		this.instance = new Instance(setup, this.recorder, this.witness);
	}

	/**
	 * Follow orders until the input ends.
	 * @param arguments a {@link Setup}
	 * @throws Exception if something unexpected happens
	 */
	public static void main(String[] arguments) throws Exception {
		Worker worker = new Worker(Setup.parse(arguments));
		StallMeter.start(worker.recorder);
		worker.warmUp();
		worker.start();
		say("ready");
		BufferedReader orders = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		for (String order = orders.readLine(); order != null; order = orders.readLine()) {
			worker.obey(order);
		}
		// The process that gives the orders has ended.
		Runtime.getRuntime().halt(1);
	}

	/**
	 * Acquire and release a lock several times, because a cold process is slow.
	 */
	private void warmUp() {
		for (int time = 0; time < WARM_UP; time++) {
			try {
				this.instance.locks()
					.acquire(new Want("warm-up-" + this.setup.number(), Duration.ofSeconds(2), true, false, null))
					.release();
			}
			catch (DeniedException ex) {
				// A fault has already begun, so this round fails.
			}
		}
	}

	private void start() {
		for (int number = 0; number < this.setup.threads(); number++) {
			this.threads.add(contender(false));
		}
		this.threads.forEach(Thread::start);
		if (this.threads.isEmpty()) {
			return;
		}
		this.patient = contender(true);
		this.patient.start();
		Thread interrupter = new Thread(this::interrupt, "interrupter");
		interrupter.setDaemon(true);
		interrupter.start();
	}

	private Thread contender(boolean patient) {
		Contender contender = new Contender(this.setup, new Random(), this.recorder, this.witness, () -> this.instance,
				this.others, patient);
		return new Thread(() -> run(contender), patient ? "patient" : "contender");
	}

	private void run(Contender contender) {
		while (!this.resting) {
			try {
				contender.contend();
			}
			catch (Throwable ex) {
				this.recorder.unexpected(ex.toString());
				ex.printStackTrace();
				Pause.of(Duration.ofMillis(100));
			}
		}
	}

	private void obey(String order) throws Exception {
		switch (order.split(" ")[0]) {
			case "reopen" -> reopen();
			case "resign" -> this.instance.resign();
			case "interrupt" ->
				this.stormUntil = System.nanoTime() + Duration.ofMillis(Long.parseLong(order.split(" ")[1])).toNanos();
			case "rest" -> rest();
			case "end" -> end();
			default -> throw new IOException("Unknown order: " + order);
		}
	}

	private void reopen() {
		this.instance.close();
		this.instance = new Instance(this.setup, this.recorder, this.witness);
	}

	private void rest() throws InterruptedException {
		this.resting = true;
		this.instance.withdraw();
		for (Thread thread : this.threads) {
			thread.join();
		}
		if (this.patient != null) {
			this.patient.join();
		}
		this.others.shutdown();
		if (this.others.awaitTermination(1, TimeUnit.MINUTES)) {
			say("resting");
		}
	}

	private void end() {
		this.instance.close();
		say("ended");
		System.exit(0);
	}

	private void interrupt() {
		ThreadLocalRandom random = ThreadLocalRandom.current();
		while (!this.resting) {
			boolean storm = System.nanoTime() - this.stormUntil < 0;
			Pause.of(Duration.ofMillis(storm ? random.nextInt(3) : random.nextInt(600)));
			this.threads.get(random.nextInt(this.threads.size())).interrupt();
		}
	}

	private static synchronized void say(String line) {
		System.out.println(line);
	}

}
