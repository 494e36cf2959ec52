package io.github.redislock.samples.quickstart.inventory;

class SoldOutException extends RuntimeException {

	private static final long serialVersionUID = 1L;

	SoldOutException(String product, int wanted, int left) {
		super("%d of '%s' requested but only %d left".formatted(wanted, product, left));
	}

}
