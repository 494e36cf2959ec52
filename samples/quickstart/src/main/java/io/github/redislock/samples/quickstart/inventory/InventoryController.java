package io.github.redislock.samples.quickstart.inventory;

import io.github.redislock.samples.quickstart.web.Problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

@RestController
@RequestMapping("/inventory/{product}")
class InventoryController {

	private final Inventory inventory;

	InventoryController(Inventory inventory) {
		this.inventory = inventory;
	}

	@PutMapping
	Stock set(@PathVariable String product, @RequestParam int quantity) {
		if (quantity < 0) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST,
					"quantity must not be negative but is " + quantity);
		}
		return this.inventory.set(product, quantity);
	}

	@PostMapping("/decrease")
	Stock decrease(@PathVariable String product, @RequestParam(defaultValue = "1") int quantity) {
		if (quantity < 1) {
			throw new ResponseStatusException(HttpStatus.BAD_REQUEST, "quantity must be at least 1 but is " + quantity);
		}
		return this.inventory.decrease(product, quantity);
	}

	@GetMapping
	ResponseEntity<Stock> stock(@PathVariable String product) {
		return ResponseEntity.of(this.inventory.stock(product));
	}

	@ExceptionHandler
	ProblemDetail soldOut(SoldOutException ex) {
		return Problem.of(HttpStatus.CONFLICT, "Sold out", ex.getMessage());
	}

}
