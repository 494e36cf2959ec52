package io.github.redislock.benchmarks.worker;

import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

import io.github.redislock.benchmarks.contender.ClientSettings;
import io.github.redislock.benchmarks.contender.Contenders;
import io.github.redislock.benchmarks.contender.Held;
import io.github.redislock.benchmarks.contender.LockClient;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A child process that uses one library. It reads orders from its standard input, one per
 * line, replies to each with one line, and ends when its input ends.
 */
public final class Worker {

	private static final Logger logger = LoggerFactory.getLogger(Worker.class);

	/**
	 * The clients by the names that the runner uses. Some may connect through a proxy.
	 */
	private final Map<String, LockClient> clients = new HashMap<>();

	private final Deque<Held> held = new ArrayDeque<>();

	private @Nullable WaitTask waiting;

	private Worker() {
	}

	/**
	 * Execute orders until the input ends.
	 * @param arguments none
	 * @throws InterruptedException never
	 */
	public static void main(String[] arguments) throws InterruptedException {
		PrintStream replies = new PrintStream(new FileOutputStream(FileDescriptor.out), true, StandardCharsets.UTF_8);
		// A library's output must not look like a reply.
		System.setOut(System.err);
		BlockingQueue<String> orders = new LinkedBlockingQueue<>();
		Thread reader = new Thread(() -> read(orders), "orders");
		reader.setDaemon(true);
		reader.start();
		Worker worker = new Worker();
		while (true) {
			replies.println(worker.reply(Message.parse(orders.take())));
		}
	}

	/**
	 * Read orders until the input ends, which means that the runner has ended. Exit at
	 * once in that case, even in the middle of an order.
	 */
	private static void read(BlockingQueue<String> orders) {
		try (BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
			for (String line = lines.readLine(); line != null; line = lines.readLine()) {
				orders.add(line);
			}
		}
		catch (IOException ex) {
			logger.error("Orders cannot be read any more", ex);
		}
		Runtime.getRuntime().halt(0);
	}

	private Message reply(Message order) {
		try {
			return obey(order);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
			return failed(order, ex);
		}
		catch (IOException | RuntimeException | Error ex) {
			return failed(order, ex);
		}
	}

	private static Message failed(Message order, Throwable failure) {
		logger.error("Order failed: {}", order, failure);
		Throwable cause = (failure.getCause() != null) ? failure.getCause() : failure;
		return Message.of("error").with("text", cause);
	}

	private Message obey(Message order) throws IOException, InterruptedException {
		return switch (order.word()) {
			case "open" -> open(order);
			case "close" -> close();
			case "loop" -> new LoopTask(client(order), order).run();
			case "hold" -> hold(order);
			case "release" -> release();
			case "wait" -> waitFor(order);
			case "served" -> served();
			case "footprint" -> Footprint.measure();
			case "heap" -> Footprint.liveHeap();
			default -> throw new IllegalArgumentException("Unknown order: " + order);
		};
	}

	private Message open(Message order) {
		ClientSettings settings = new ClientSettings(order.text("host"), (int) order.number("port"),
				order.duration("lease"), order.flag("renewed"));
		this.clients.put(order.text("client"), Contenders.named(order.text("contender")).open(settings));
		return Message.of("ok");
	}

	private Message close() {
		this.clients.values().forEach(LockClient::close);
		this.clients.clear();
		return Message.of("ok");
	}

	/**
	 * Acquire one or many locks, and keep them until {@link #release()}.
	 */
	private Message hold(Message order) {
		String name = order.text("key");
		long locks = order.number("locks");
		for (long number = 0; number < locks; number++) {
			this.held.push(client(order).acquire((locks == 1) ? name : name + number));
		}
		return Message.of("ok");
	}

	private Message release() {
		long begin = System.nanoTime();
		while (!this.held.isEmpty()) {
			this.held.pop().release();
		}
		return Message.of("ok").with("nanos", begin);
	}

	private Message waitFor(Message order) throws IOException {
		this.waiting = new WaitTask(client(order), order);
		return Message.of("ok");
	}

	private Message served() throws InterruptedException {
		WaitTask task = this.waiting;
		if (task == null) {
			throw new IllegalStateException("No caller waits");
		}
		return task.served();
	}

	private LockClient client(Message order) {
		LockClient client = this.clients.get(order.text("client"));
		if (client == null) {
			throw new IllegalStateException("Client not open: " + order);
		}
		return client;
	}

}
