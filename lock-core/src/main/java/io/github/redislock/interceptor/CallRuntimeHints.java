package io.github.redislock.interceptor;

import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.Month;
import java.time.OffsetDateTime;
import java.time.Year;
import java.time.YearMonth;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Currency;
import java.util.List;
import java.util.Locale;
import java.util.UUID;

import io.github.redislock.interceptor.declaration.CallContext;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/**
 * Lets expressions in a native image read a call and the usual values, and check that
 * these override {@code toString()}. Also makes Reactor available to reactive methods.
 * The classes of an application come from its beans: see {@link LockedBeanHints}.
 */
final class CallRuntimeHints implements RuntimeHintsRegistrar {

	private static final List<Class<?>> CALL = List.of(CallContext.CallRoot.class, Method.class, Class.class);

	private static final List<Class<?>> VALUES = List.of(Object.class, Boolean.class, Byte.class, Character.class,
			Double.class, Enum.class, Float.class, Integer.class, Long.class, Record.class, Short.class, String.class,
			BigDecimal.class, BigInteger.class, URI.class, DayOfWeek.class, Duration.class, Instant.class,
			LocalDate.class, LocalDateTime.class, LocalTime.class, Month.class, OffsetDateTime.class, Year.class,
			YearMonth.class, ZoneId.class, ZonedDateTime.class, Currency.class, Locale.class, UUID.class);

	@Override
	public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
		CALL.forEach((type) -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
		// Looked up by name: without a hint no reactive method could be locked.
		hints.reflection().registerTypeIfPresent(classLoader, "reactor.core.publisher.Mono");
		VALUES.forEach((type) -> hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS));
	}

}
