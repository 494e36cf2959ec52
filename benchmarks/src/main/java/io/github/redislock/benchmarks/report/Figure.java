package io.github.redislock.benchmarks.report;

import java.util.Locale;

/**
 * Writes numbers with up to three decimal places, and larger numbers with fewer.
 */
public final class Figure {

	/** The smallest number whose digits are grouped. */
	private static final double LARGE = 10_000;

	private Figure() {
	}

	/**
	 * Write a number.
	 * @param value any number
	 * @return for example {@code 0.031}, {@code 4.62}, {@code 117} or {@code 91 000}
	 */
	public static String plain(double value) {
		if (Double.isNaN(value) || Double.isInfinite(value)) {
			return "?";
		}
		double size = Math.abs(value);
		if (size >= 100) {
			return grouped(Math.round(value));
		}
		if (size >= 10) {
			return trimmed(String.format(Locale.ROOT, "%.1f", value));
		}
		return trimmed(String.format(Locale.ROOT, (size >= 1) ? "%.2f" : "%.3f", value));
	}

	private static String grouped(long value) {
		if (Math.abs(value) < LARGE) {
			return Long.toString(value);
		}
		return String.format(Locale.ROOT, "%,d", value).replace(',', ' ');
	}

	private static String trimmed(String decimal) {
		String text = decimal;
		while (text.endsWith("0")) {
			text = text.substring(0, text.length() - 1);
		}
		return text.endsWith(".") ? text.substring(0, text.length() - 1) : text;
	}

}
