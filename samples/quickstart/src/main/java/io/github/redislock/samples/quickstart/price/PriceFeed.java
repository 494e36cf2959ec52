package io.github.redislock.samples.quickstart.price;

import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.redislock.annotation.LeaderOnly;
import io.github.redislock.leadership.Leadership;

import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/**
 * Polls a supplier that allows only one caller. That caller is the leading instance.
 */
@Component
class PriceFeed {

	private final Leadership leadership;

	private final PricePollRepository polls;

	private final String instance;

	PriceFeed(@Qualifier("price-feed") Leadership leadership, PricePollRepository polls,
			@Value("${quickstart.instance}") String instance) {
		this.leadership = leadership;
		this.polls = polls;
		this.instance = instance;
	}

	@LeaderOnly("price-feed")
	@Scheduled(fixedRateString = "${quickstart.price-feed.every}")
	public void poll() {
		// The term is empty if the leadership has ended since the call began.
		this.leadership.term()
			.ifPresent((term) -> this.polls.save(new PricePoll(null, term, this.instance, Instant.now())));
	}

	List<PricePoll> polls() {
		return this.polls.findTop20ByOrderByIdDesc();
	}

	CompletableFuture<Void> resign() {
		return this.leadership.resign();
	}

}
