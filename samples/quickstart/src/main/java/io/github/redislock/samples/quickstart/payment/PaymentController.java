package io.github.redislock.samples.quickstart.payment;

import java.util.List;

import io.github.redislock.samples.quickstart.web.Problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/payments/{orderId}")
class PaymentController {

	private final Payments payments;

	PaymentController(Payments payments) {
		this.payments = payments;
	}

	@PostMapping
	Charge pay(@PathVariable String orderId) {
		return this.payments.pay(orderId);
	}

	@GetMapping
	List<Charge> charges(@PathVariable String orderId) {
		return this.payments.charges(orderId);
	}

	@ExceptionHandler
	ProblemDetail alreadyPaid(OrderAlreadyPaidException ex) {
		return Problem.of(HttpStatus.CONFLICT, "Order already paid", ex.getMessage());
	}

}
