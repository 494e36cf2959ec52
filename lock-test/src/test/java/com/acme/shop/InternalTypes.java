package com.acme.shop;

import java.time.Duration;

import io.github.redislock.internal.support.Durations;

/**
 * A class of an application that uses an internal type of the library.
 */
public class InternalTypes {

	public String describe(Duration duration) {
		return Durations.describe(duration);
	}

}
