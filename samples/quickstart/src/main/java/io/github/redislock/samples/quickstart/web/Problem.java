package io.github.redislock.samples.quickstart.web;

import java.net.URI;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * Problems as RFC 9457 has them, with a type that programs can tell apart.
 */
public final class Problem {

	private Problem() {
	}

	/**
	 * Return a problem whose type is made from its title: "Sold out" is
	 * {@code urn:problem:sold-out}.
	 * @param status the status of the response
	 * @param title what kind of problem it is, always the same
	 * @param detail what happened this time and what to do
	 * @return the problem
	 */
	public static ProblemDetail of(HttpStatus status, String title, @Nullable String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		problem.setType(URI.create("urn:problem:" + title.toLowerCase(Locale.ROOT).replace(' ', '-')));
		return problem;
	}

}
