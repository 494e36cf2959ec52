package io.github.redislock.samples.quickstart.payment;

class OrderAlreadyPaidException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	OrderAlreadyPaidException(Charge charge) {
		super("Order '%s' was already paid at %s and will not be charged again".formatted(charge.orderId(),
				charge.chargedAt()));
	}

}
