package io.github.redislock.autoconfigure;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockOptions;
import io.github.redislock.internal.support.Durations;
import io.github.redislock.redis.RedisLockStoreOptions;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationPropertiesBindHandlerAdvisor;
import org.springframework.boot.context.properties.bind.AbstractBindHandler;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Checks properties under {@code redis-lock} while they are bound. Refuses values out of
 * range, durations (except zero) without a unit, and options that do not fit together.
 * Accepts the waiting time {@code forever} and roles without settings. Warns about
 * unknown names.
 * <p>
 * Environment variables are not checked for unknown names, because a container may have
 * variables with similar names, such as those of a Kubernetes service called
 * {@code redislock}.
 */
final class LockPropertyChecks implements ConfigurationPropertiesBindHandlerAdvisor {

	private static final Log logger = LogFactory.getLog(LockPropertyChecks.class);

	private static final Pattern NUMBER_EXCEPT_ZERO = Pattern.compile("\\s*[+-]?0*[1-9]\\d*\\s*");

	private static final Pattern FOREVER = Pattern.compile("\\s*forever\\s*", Pattern.CASE_INSENSITIVE);

	private final Environment environment;

	LockPropertyChecks(Environment environment) {
		this.environment = environment;
	}

	@Override
	public BindHandler apply(BindHandler handler) {
		return new AbstractBindHandler(handler) {

			@Override
			public @Nullable Object onSuccess(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Object result) {
				if (LockPropertyNames.ROOT.isAncestorOf(name)) {
					if (result instanceof Duration) {
						requireUnit(context.getConfigurationProperty());
					}
					requireUsable(LockPropertyNames.ofAnyRole(name), result, context.getBinder());
				}
				return super.onSuccess(name, target, context, result);
			}

			@Override
			public @Nullable Object onFailure(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					Exception error) throws Exception {
				if (name.equals(LockPropertyNames.WAIT_TIME)
						&& FOREVER.matcher(text(context.getConfigurationProperty())).matches()) {
					return ChronoUnit.FOREVER.getDuration();
				}
				if (LockPropertyNames.ROLES.isParentOf(name) && error instanceof ConverterNotFoundException
						&& isEmpty(name, context.getBinder())) {
					return RedisLockProperties.Role.DEFAULTS;
				}
				return super.onFailure(name, target, context, error);
			}

			@Override
			public void onFinish(ConfigurationPropertyName name, Bindable<?> target, BindContext context,
					@Nullable Object result) throws Exception {
				super.onFinish(name, target, context, result);
				if (name.equals(LockPropertyNames.ROOT)) {
					warnOfUnknown(context.getSources());
				}
			}

		};
	}

	private static boolean isEmpty(ConfigurationPropertyName name, Binder binder) {
		return binder.bind(name, Bindable.of(String.class)).map(String::isBlank).orElse(false);
	}

	private void requireUnit(@Nullable ConfigurationProperty property) {
		String value = text(property);
		if (NUMBER_EXCEPT_ZERO.matcher(value).matches()) {
			throw new IllegalArgumentException(
					"it has no unit, and would be %s milliseconds: write 30s, 500ms or PT30S".formatted(value.strip()));
		}
	}

	private static void requireUsable(ConfigurationPropertyName name, Object value, Binder binder) {
		LockOptions options = LockOptions.options();
		LockConfiguration configuration = LockConfiguration.defaults();
		String property = name.subName(LockPropertyNames.ROOT.getNumberOfElements()).toString();
		switch (property) {
			case "timeout", "leadership.roles.name.timeout" -> options.timeout((Duration) value);
			case "retry" -> options.retry((int) value);
			case "retry-delay" -> options.retryDelay((Duration) value);
			case "wait-time" -> options.waitTime((Duration) value);
			case "max-waiters" -> options.maxWaiters((int) value);
			case "renew-every" -> {
				LockOptions lease = binder.bind("redis-lock.timeout", Duration.class)
					.map(options::timeout)
					.orElse(options);
				LockOptions bounded = binder.bind("redis-lock.max-hold", Duration.class)
					.map(lease::maxHold)
					.orElse(lease);
				// Throws an exception if they do not fit together.
				configuration.options(bounded.renewEvery((Duration) value));
			}
			case "max-hold" -> options.maxHold((Duration) value);
			case "warn-after" -> configuration.warnAfter((Duration) value);
			case "close-wait" -> configuration.closeWait((Duration) value);
			case "hand-over.slice" -> configuration.slice((Duration) value);
			case "instance-id" -> configuration.instance((String) value);
			case "grace" -> configuration.grace((Duration) value);
			case "replication.min-acks" -> RedisLockStoreOptions.defaults().minAcks((int) value);
			case "command-timeout", "quorum.node-timeout" ->
				Durations.requireBetween(property, (Duration) value, Duration.ofMillis(1), Duration.ofHours(1));
			case "cache.wait-time" ->
				Durations.requireBetween(property, (Duration) value, Duration.ofSeconds(1), Duration.ofHours(1));
			case "cache.stale-for" -> Durations.requireAtLeast(property, (Duration) value, Duration.ZERO);
			case "cold-start-quarantine" -> Durations.requireBetween(property, (Duration) value, Duration.ZERO,
					RedisLockProperties.LONGEST_QUARANTINE);
			default -> {
			}
		}
	}

	private String text(@Nullable ConfigurationProperty property) {
		return (property != null) ? this.environment.resolvePlaceholders(property.getValue().toString()) : "";
	}

	private static void warnOfUnknown(Iterable<ConfigurationPropertySource> sources) {
		LockPropertyNames known = new LockPropertyNames();
		TreeMap<ConfigurationPropertyName, String> unknown = new TreeMap<>();
		for (ConfigurationPropertySource source : sources) {
			names(source).filter((name) -> LockPropertyNames.ROOT.isAncestorOf(name) && !known.contain(name))
				.forEach((name) -> unknown.putIfAbsent(name, describe(name, source, known)));
		}
		if (!unknown.isEmpty()) {
			logger.warn("Ignoring unknown redis-lock properties: %s"
				.formatted(unknown.values().stream().collect(Collectors.joining("; "))));
		}
	}

	private static Stream<ConfigurationPropertyName> names(ConfigurationPropertySource source) {
		boolean listed = source instanceof IterableConfigurationPropertySource
				&& !(source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource);
		return listed ? ((IterableConfigurationPropertySource) source).stream() : Stream.empty();
	}

	private static String describe(ConfigurationPropertyName name, ConfigurationPropertySource source,
			LockPropertyNames known) {
		ConfigurationProperty property = source.getConfigurationProperty(name);
		String origin = (property != null && property.getOrigin() != null) ? " (" + property.getOrigin() + ")" : "";
		return "'%s'%s%s".formatted(name, origin,
				known.nearest(name).map((nearest) -> ", did you mean '" + nearest + "'?").orElse(""));
	}

}
