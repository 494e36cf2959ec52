package io.github.redislock.samples.quickstart.web;

import java.net.URI;
import java.util.Locale;

import org.jspecify.annotations.Nullable;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;

/**
 * Creates problems in the format of RFC 9457, with a type that programs can check.
 */
public final class Problem {

	private Problem() {
	}

	/**
	 * Return a problem. Its type is derived from its title, such as
	 * {@code urn:problem:sold-out} from "Sold out".
	 * @param status the status of the response
	 * @param title the kind of problem, which is the same in each response
	 * @param detail what happened in this case, and what to do
	 * @return the problem
	 */
	public static ProblemDetail of(HttpStatus status, String title, @Nullable String detail) {
		ProblemDetail problem = ProblemDetail.forStatusAndDetail(status, detail);
		problem.setTitle(title);
		problem.setType(URI.create("urn:problem:" + title.toLowerCase(Locale.ROOT).replace(' ', '-')));
		return problem;
	}

}
