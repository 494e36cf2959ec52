package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.origin.Origin;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Explains what is wrong with the value of a property under {@code redis-lock}, and
 * usually shows a valid one.
 */
// Runs before Spring Boot's analyzer, which cannot explain these values.
@Order(Ordered.LOWEST_PRECEDENCE - 1)
class LockPropertyFailureAnalyzer extends AbstractFailureAnalyzer<BindException> {

	@Override
	protected @Nullable FailureAnalysis analyze(Throwable rootFailure, BindException cause) {
		ConfigurationProperty property = cause.getProperty();
		if (property == null || !LockPropertyNames.ROOT.isAncestorOf(property.getName())) {
			return null;
		}
		Class<?> type = new LockPropertyNames().typeOf(property.getName());
		String reason = String.valueOf(reason(NestedExceptionUtils.getMostSpecificCause(cause), type));
		Origin origin = property.getOrigin();
		return new FailureAnalysis(
				"Property '%s' is '%s'%s: %s".formatted(property.getName(), property.getValue(),
						(origin != null) ? " (" + origin + ")" : "", reason),
				"Correct '%s'%s.".formatted(property.getName(),
						reason.contains(" must ") ? ": use an allowed value" : example(type)),
				cause);
	}

	private static @Nullable String reason(Throwable cause, @Nullable Class<?> type) {
		if (type != null && type.isEnum()) {
			return "there is no such value";
		}
		return (cause instanceof NumberFormatException) ? "it is not a valid number" : cause.getMessage();
	}

	private static String example(@Nullable Class<?> type) {
		if (type == Duration.class) {
			return ": write a number with a unit, as in '500ms', '30s' or '5m', or ISO-8601 as in 'PT30S'";
		}
		if (type == int.class) {
			return ": write a whole number, as in '3'";
		}
		if (type == boolean.class) {
			return ": write 'true' or 'false'";
		}
		if (type != null && type.isEnum()) {
			return ": write " + Arrays.stream(type.getEnumConstants())
				.map((constant) -> "'" + constant.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "'")
				.collect(Collectors.joining(" or "));
		}
		return "";
	}

}
