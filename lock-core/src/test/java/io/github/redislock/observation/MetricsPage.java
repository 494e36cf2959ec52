package io.github.redislock.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import io.github.redislock.LockTarget;
import io.github.redislock.engine.LockConfiguration;
import io.github.redislock.engine.LockTemplate;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.observation.LockObservationDocumentation.HighCardinalityKeyNames;
import io.github.redislock.observation.LockObservationDocumentation.LowCardinalityKeyNames;
import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * Writes the reference of metrics and traces, from their documentation in the code and
 * from the output of a Prometheus registry.
 */
final class MetricsPage {

	private final Set<String> scraped = scrape();

	private final StringBuilder page = new StringBuilder();

	static String write() {
		MetricsPage page = new MetricsPage();
		page.meters();
		page.tags();
		page.span();
		return page.page.toString();
	}

	private void meters() {
		line("| Meter | Type | Prometheus | Tags | Question |");
		line("|---|---|---|---|---|");
		LockObservationDocumentation acquire = LockObservationDocumentation.ACQUIRE;
		String tags = names(acquire.getLowCardinalityKeyNames());
		row(DefaultLockObservationConvention.NAME, Meter.Type.TIMER, tags + ", `error`", acquire.question());
		row(DefaultLockObservationConvention.NAME + ".active", Meter.Type.LONG_TASK_TIMER, tags,
				"How many callers wait now, and for how long?");
		for (LockMeterDocumentation meter : LockMeterDocumentation.values()) {
			row(meter.getName(), meter.getType(), names(meter.getKeyNames()), meter.question());
		}
		for (LeadershipMeterDocumentation meter : LeadershipMeterDocumentation.values()) {
			row(meter.getName(), meter.getType(), names(meter.getKeyNames()), meter.question());
		}
		line("");
	}

	private void row(String name, Meter.Type type, String tags, String question) {
		String series = this.scraped.stream()
			.filter((each) -> name.equals(meterOf(each)))
			.map((each) -> "`" + each + "`")
			.collect(Collectors.joining(", "));
		line("| `%s` | %s | %s | %s | %s |".formatted(name, type.name().toLowerCase(Locale.ROOT).replace('_', '-'),
				series, tags, question));
	}

	private void tags() {
		line("| Tag | On | Values |");
		line("|---|---|---|");
		for (LowCardinalityKeyNames key : LowCardinalityKeyNames.values()) {
			String on = (key != LowCardinalityKeyNames.OUTCOME) ? "all but those of leadership"
					: "`redis.lock.acquire`";
			line("| `%s` | %s | %s |".formatted(key.asString(), on, key.description()));
		}
		line("| `error` | `redis.lock.acquire` | the class of the exception with `outcome=error`, else `none` |");
		for (LockMeterDocumentation meter : LockMeterDocumentation.values()) {
			LockMeterDocumentation.KeyNames key = meter.ownKey();
			if (key != null) {
				line("| `%s` | `%s` | %s |".formatted(key.asString(), meter.getName(), key.description()));
			}
		}
		line("| `role` | those of leadership | the name of the role |");
		line("");
	}

	private void span() {
		line("| Attribute of the span | Value |");
		line("|---|---|");
		for (LowCardinalityKeyNames key : LowCardinalityKeyNames.values()) {
			line("| `%s` | as above |".formatted(key.asString()));
		}
		for (HighCardinalityKeyNames key : HighCardinalityKeyNames.values()) {
			line("| `%s` | %s |".formatted(key.asString(), key.description()));
		}
	}

	private void line(String text) {
		this.page.append(text).append('\n');
	}

	private static String names(KeyName[] keys) {
		return Arrays.stream(keys).map((key) -> "`" + key.asString() + "`").collect(Collectors.joining(", "));
	}

	/**
	 * Return the meter of a series: the one with the longest matching name.
	 */
	private static String meterOf(String series) {
		String dotted = series.replace('_', '.');
		Set<String> names = new TreeSet<>(Set.of("redis.lock.acquire", "redis.lock.acquire.active"));
		Arrays.stream(LockMeterDocumentation.values()).map(LockMeterDocumentation::getName).forEach(names::add);
		Arrays.stream(LeadershipMeterDocumentation.values())
			.map(LeadershipMeterDocumentation::getName)
			.forEach(names::add);
		return names.stream()
			.filter(dotted::startsWith)
			.reduce((one, other) -> (one.length() > other.length()) ? one : other)
			.orElse("");
	}

	/**
	 * Return the series that Prometheus would scrape after one lock was acquired, with
	 * percentiles.
	 */
	private static Set<String> scrape() {
		PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
		registry.config().meterFilter(new Percentiles());
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(registry));
		try (LockTemplate locks = new LockTemplate(new InMemoryLockStore(),
				LockConfiguration.defaults()
					.closeWait(Duration.ZERO)
					.listener(new LockMeterListener(registry))
					.listener(new LockObservationListener(observations, null)))) {
			locks.execute(LockTarget.of("payment", 4711), () -> {
			});
			new LeadershipMeters(registry).add(new LockLeadership("mailer", locks));
		}
		return registry.scrape()
			.lines()
			.filter((line) -> !line.startsWith("#"))
			.map((line) -> line.replaceFirst("[{ ].*", ""))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
