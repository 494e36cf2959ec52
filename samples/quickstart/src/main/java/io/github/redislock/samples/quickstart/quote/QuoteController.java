package io.github.redislock.samples.quickstart.quote;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

@RestController
class QuoteController {

	private final Quotes quotes;

	QuoteController(Quotes quotes) {
		this.quotes = quotes;
	}

	@GetMapping("/quotes/{symbol}")
	Quote find(@PathVariable String symbol) {
		return this.quotes.find(symbol);
	}

}
