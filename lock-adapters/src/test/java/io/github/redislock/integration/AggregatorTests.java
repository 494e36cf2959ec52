package io.github.redislock.integration;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import io.github.redislock.LockOperations;
import io.github.redislock.testing.RedisServerExtension;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.integration.aggregator.AggregatingMessageHandler;
import org.springframework.integration.aggregator.DefaultAggregatingMessageGroupProcessor;
import org.springframework.integration.config.EnableIntegration;
import org.springframework.integration.store.MessageGroup;
import org.springframework.integration.store.SimpleMessageStore;
import org.springframework.integration.support.MessageBuilder;
import org.springframework.messaging.Message;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Two instances of an application aggregate messages of the same groups.
 */
@ExtendWith(RedisServerExtension.class)
class AggregatorTests {

	private static final int GROUPS = 20;

	private static final int SIZE = 4;

	private final TwoInstances instances = new TwoInstances();

	private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext(Messaging.class);

	private final SimpleMessageStore store = new SimpleMessageStore();

	private final List<Message<?>> released = new CopyOnWriteArrayList<>();

	private final Map<Object, AtomicInteger> atWork = new ConcurrentHashMap<>();

	private final AtomicInteger mostTogether = new AtomicInteger();

	@AfterEach
	void close() {
		this.context.close();
		this.instances.close();
	}

	@Test
	void groupIsProcessedByOneInstanceAtATime() throws Exception {
		List<AggregatingMessageHandler> aggregators = List.of(aggregator(this.instances.one),
				aggregator(this.instances.other));
		CyclicBarrier together = new CyclicBarrier(SIZE);
		List<FutureTask<Void>> senders = new ArrayList<>();
		for (int number = 1; number <= SIZE; number++) {
			int sequence = number;
			FutureTask<Void> sender = new FutureTask<>(() -> {
				together.await();
				for (int group = 0; group < GROUPS; group++) {
					aggregators.get(sequence % 2).handleMessage(message(group, sequence));
				}
				return null;
			});
			new Thread(sender).start();
			senders.add(sender);
		}

		for (FutureTask<Void> sender : senders) {
			sender.get(60, TimeUnit.SECONDS);
		}

		assertThat(this.mostTogether).hasValue(1);
		assertThat(this.released).hasSize(GROUPS)
			.allSatisfy((message) -> assertThat((List<?>) message.getPayload()).hasSize(SIZE));
	}

	private AggregatingMessageHandler aggregator(LockOperations locks) {
		AggregatingMessageHandler aggregator = new AggregatingMessageHandler(
				new DefaultAggregatingMessageGroupProcessor(), this.store);
		aggregator.setLockRegistry(new DistributedLockRegistry(locks, "aggregator"));
		aggregator.setReleaseStrategy(this::isComplete);
		aggregator.setExpireGroupsUponCompletion(true);
		aggregator.setOutputChannel((message, timeout) -> this.released.add(message));
		aggregator.setBeanFactory(this.context.getBeanFactory());
		aggregator.afterPropertiesSet();
		return aggregator;
	}

	private boolean isComplete(MessageGroup group) {
		AtomicInteger together = this.atWork.computeIfAbsent(group.getGroupId(), (id) -> new AtomicInteger());
		this.mostTogether.accumulateAndGet(together.incrementAndGet(), Math::max);
		// Without the lock, the other instance would have enough time to enter.
		LockSupport.parkNanos(Duration.ofMillis(5).toNanos());
		together.decrementAndGet();
		return group.size() == SIZE;
	}

	private static Message<?> message(int group, int sequence) {
		return MessageBuilder.withPayload("part " + sequence)
			.setCorrelationId("group-" + group)
			.setSequenceNumber(sequence)
			.setSequenceSize(SIZE)
			.build();
	}

	@Configuration(proxyBeanMethods = false)
	@EnableIntegration
	static class Messaging {

	}

}
