package io.github.redislock.simulation.redis;

import java.math.BigDecimal;
import java.math.MathContext;
import java.math.RoundingMode;
import java.util.Locale;
import java.util.regex.Pattern;

/**
 * Parses and formats numbers as a server does.
 */
final class Numbers {

	private static final Pattern INTEGER = Pattern.compile("0|-?[1-9][0-9]{0,18}");

	private static final Pattern DECIMAL = Pattern.compile("[+-]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][+-]?[0-9]+)?");

	private static final Pattern INFINITY = Pattern.compile("([+-]?)inf(inity)?");

	private static final double EXACT = 0x1p53;

	private Numbers() {
	}

	static long integer(String text) {
		if (INTEGER.matcher(text).matches()) {
			try {
				return Long.parseLong(text);
			}
			catch (NumberFormatException ex) {
				// The integer is too big.
			}
		}
		throw new ErrorReplyException("ERR value is not an integer or out of range");
	}

	/**
	 * Parse a floating-point number.
	 * @param otherwise the error text if the text is not a number
	 */
	static double decimal(String text, String otherwise) {
		if (DECIMAL.matcher(text).matches()) {
			return Double.parseDouble(text);
		}
		if (INFINITY.matcher(text.toLowerCase(Locale.ROOT)).matches()) {
			return text.startsWith("-") ? Double.NEGATIVE_INFINITY : Double.POSITIVE_INFINITY;
		}
		throw new ErrorReplyException(otherwise);
	}

	/**
	 * Format a number like C's {@code %.17g}.
	 */
	static String text(double number) {
		if (Math.abs(number) < EXACT && number == (long) number && (number != 0 || 1 / number > 0)) {
			return Long.toString((long) number);
		}
		if (number == 0) {
			return "-0";
		}
		if (Double.isNaN(number)) {
			return "nan";
		}
		if (Double.isInfinite(number)) {
			return (number > 0) ? "inf" : "-inf";
		}
		BigDecimal rounded = new BigDecimal(number, new MathContext(17, RoundingMode.HALF_EVEN)).stripTrailingZeros();
		int exponent = rounded.precision() - rounded.scale() - 1;
		if (exponent >= -4 && exponent < 17) {
			return rounded.toPlainString();
		}
		String digits = rounded.unscaledValue().abs().toString();
		String fraction = (digits.length() > 1) ? "." + digits.substring(1) : "";
		return "%s%s%se%s%02d".formatted((number < 0) ? "-" : "", digits.charAt(0), fraction,
				(exponent < 0) ? "-" : "+", Math.abs(exponent));
	}

	/**
	 * Truncate a number like a cast in C on common processors.
	 */
	static long truncate(double number) {
		return (number >= -0x1p63 && number < 0x1p63) ? (long) number : Long.MIN_VALUE;
	}

}
