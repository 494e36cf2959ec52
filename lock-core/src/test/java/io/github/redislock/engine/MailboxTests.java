package io.github.redislock.engine;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * @see MailboxInterleavingTests for what many threads do to it
 */
class MailboxTests {

	private final Mailbox mailbox = new Mailbox();

	private final List<String> done = new ArrayList<>();

	@Test
	void taskRunsOnTheThreadThatBringsIt() {
		List<Thread> threads = new ArrayList<>();

		this.mailbox.run(() -> threads.add(Thread.currentThread()));

		assertThat(threads).containsExactly(Thread.currentThread());
	}

	@Test
	void taskThatATaskBringsRunsAfterIt() {
		this.mailbox.run(() -> {
			this.mailbox.run(() -> this.done.add("second"));
			this.mailbox.run(() -> this.done.add("third"));
			this.done.add("first");
		});

		assertThat(this.done).containsExactly("first", "second", "third");
	}

	@Test
	void tasksAfterOneThatFailsRunAllTheSame() {
		this.mailbox.run(() -> {
			this.mailbox.run(() -> this.done.add("second"));
			throw new AssertionError("test");
		});
		this.mailbox.run(() -> this.done.add("third"));

		assertThat(this.done).containsExactly("second", "third");
	}

	@Test
	void failureThatCannotBeLoggedEndsNoOtherTask() {
		this.mailbox.run(() -> {
			this.mailbox.run(() -> this.done.add("second"));
			throw new OutOfMemoryError() {

				private static final long serialVersionUID = 1L;

				// As the JVM does where there is no memory left to log it.
				@Override
				public String getMessage() {
					throw this;
				}

			};
		});

		assertThat(this.done).containsExactly("second");
	}

	@Test
	void whoComesWhileATaskRunsDoesNotWait() throws InterruptedException {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		Thread other = new Thread(() -> this.mailbox.run(() -> {
			begun.countDown();
			await().until(() -> goOn.getCount() == 0);
			this.done.add("first");
		}));
		other.start();
		begun.await();

		this.mailbox.run(() -> this.done.add("second"));
		assertThat(this.done).isEmpty();
		goOn.countDown();
		other.join();

		assertThat(this.done).containsExactly("first", "second");
	}

}
