package io.github.redislock.samples.cluster.demo.workers;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.redislock.samples.cluster.demo.DemoProperties;
import io.github.redislock.samples.cluster.demo.timeline.DemoEvent;
import io.github.redislock.samples.cluster.demo.timeline.Update;
import io.github.redislock.samples.cluster.message.Kind;

import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;

/**
 * Stops or kills some workers at random, a moment after they began to work under the
 * lock.
 */
@Component
class Chaos {

	private final Workers workers;

	private final DemoProperties properties;

	Chaos(Workers workers, DemoProperties properties) {
		this.workers = workers;
		this.properties = properties;
	}

	@EventListener
	void on(Update update) {
		DemoEvent event = update.event();
		if (event.kind() != Kind.WORKS) {
			return;
		}
		double dice = ThreadLocalRandom.current().nextDouble();
		if (dice < this.properties.killChance()) {
			soon(() -> this.workers.kill(event.source()));
		}
		else if (dice < this.properties.killChance() + this.properties.freezeChance()) {
			soon(() -> this.workers.hang(event.source()));
		}
	}

	private void soon(Runnable deed) {
		long delay = ThreadLocalRandom.current().nextLong(this.properties.lease().toMillis() / 3);
		Executor later = CompletableFuture.delayedExecutor(delay, TimeUnit.MILLISECONDS);
		later.execute(() -> {
			if (this.workers.isRunning()) {
				deed.run();
			}
		});
	}

}
