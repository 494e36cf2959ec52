package io.github.redislock.samples.quickstart.price;

import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
class PriceController {

	private final PriceFeed feed;

	PriceController(PriceFeed feed) {
		this.feed = feed;
	}

	@GetMapping("/prices/polls")
	List<PricePoll> polls() {
		return this.feed.polls();
	}

	@PostMapping("/prices/resign")
	CompletableFuture<Void> resign() {
		return this.feed.resign();
	}

}
