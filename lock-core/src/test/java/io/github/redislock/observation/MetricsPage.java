package io.github.redislock.observation;

import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
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
import io.micrometer.core.instrument.docs.MeterDocumentation;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/**
 * Writes the reference of metrics and traces, from the names in the code, the texts
 * below, and the output of a Prometheus registry.
 */
final class MetricsPage {

	/** The question of an operator that each meter answers. */
	private static final Map<String, String> QUESTIONS = Map.ofEntries(
			Map.entry(DefaultLockObservationConvention.NAME, "How long do callers wait, and how do their waits end?"),
			Map.entry(DefaultLockObservationConvention.NAME + ".active",
					"How many callers are waiting right now, and for how long?"),
			question(LockMeterDocumentation.WAITERS, "How many callers are waiting right now?"),
			question(LockMeterDocumentation.HELD, "What is held now, and for how long?"),
			question(LockMeterDocumentation.USAGE, "How long are locks held?"),
			question(LockMeterDocumentation.HAND_OVERS, "Do locks pass from caller to caller, and how?"),
			question(LockMeterDocumentation.TIMEOUTS, "How often is a lock busy for too long?"),
			question(LockMeterDocumentation.REFUSALS, "Are callers refused because too many wait?"),
			question(LockMeterDocumentation.RENEWALS, "Are leases renewed while the work goes on?"),
			question(LockMeterDocumentation.LOSSES, "Has work continued without protection?"),
			question(LockMeterDocumentation.CACHE_MISSES, "Are the values of caches loaded once?"),
			question(LeadershipMeterDocumentation.LEADER, "Which instance leads, and is there one at all?"),
			question(LeadershipMeterDocumentation.GRANTS, "How often does the leader change?"),
			question(LeadershipMeterDocumentation.SKIPPED, "Do the other instances skip the work?"));

	private static final Map<KeyName, String> VALUES = Map.of(LowCardinalityKeyNames.LOCK,
			"the declared name without its key, or `other`", LowCardinalityKeyNames.MODE,
			"`exclusive`, `read` or `permit`", LowCardinalityKeyNames.OUTCOME,
			"`acquired`; `timeout`: another owner had it; `refused`: too many were waiting;"
					+ " `interrupted`; `cancelled`: the caller's future or subscription ended; `shutdown`;"
					+ " `error`: the store did not reply; `pending`: the wait goes on",
			HighCardinalityKeyNames.NAME, "the whole name, with its key", HighCardinalityKeyNames.FROM,
			"where the lock came from: `local`, `remote` or `none`", HighCardinalityKeyNames.FENCING_TOKEN,
			"the fencing token of the hold", LockMeterDocumentation.KeyNames.RELEASE,
			"`released`; `lost` before, including the time after the loss; `unknown`: the store did not reply in time",
			LockMeterDocumentation.KeyNames.RENEWAL,
			"`renewed`; `failed`: the store did not reply, and is asked again while the lease lasts."
					+ " The first lease of a lock that was handed over counts only if it fails",
			LockMeterDocumentation.KeyNames.MISS,
			"`loaded`: the caller loads the value under the lock; `unlocked`: it loads without the lock;"
					+ " `waited`: another caller has loaded the value; `stale`: the caller gets an old value",
			LockMeterDocumentation.KeyNames.FROM,
			"`local`: a caller of this instance; `remote`: another instance, which handed it over; `none`:"
					+ " it was free or had run out, or another instance of a quorum had it");

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
		row(DefaultLockObservationConvention.NAME, Meter.Type.TIMER, tags + ", `error`");
		row(DefaultLockObservationConvention.NAME + ".active", Meter.Type.LONG_TASK_TIMER, tags);
		for (LockMeterDocumentation meter : LockMeterDocumentation.values()) {
			row(meter.getName(), meter.getType(), names(meter.getKeyNames()));
		}
		for (LeadershipMeterDocumentation meter : LeadershipMeterDocumentation.values()) {
			row(meter.getName(), meter.getType(), names(meter.getKeyNames()));
		}
		line("");
	}

	private void row(String name, Meter.Type type, String tags) {
		String series = this.scraped.stream()
			.filter((each) -> name.equals(meterOf(each)))
			.map((each) -> "`" + each + "`")
			.collect(Collectors.joining(", "));
		line("| `%s` | %s | %s | %s | %s |".formatted(name, type.name().toLowerCase(Locale.ROOT).replace('_', '-'),
				series, tags, Objects.requireNonNull(QUESTIONS.get(name), name)));
	}

	private void tags() {
		line("| Tag | On | Values |");
		line("|---|---|---|");
		for (LowCardinalityKeyNames key : LowCardinalityKeyNames.values()) {
			String on = (key != LowCardinalityKeyNames.OUTCOME) ? "all but those of leadership"
					: "`redis.lock.acquire`";
			line("| `%s` | %s | %s |".formatted(key.asString(), on, describe(key)));
		}
		line("| `error` | `redis.lock.acquire` | the class of the exception with `outcome=error`, else `none` |");
		for (LockMeterDocumentation meter : LockMeterDocumentation.values()) {
			LockMeterDocumentation.KeyNames key = meter.ownKey();
			if (key != null) {
				line("| `%s` | `%s` | %s |".formatted(key.asString(), meter.getName(), describe(key)));
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
			line("| `%s` | %s |".formatted(key.asString(), describe(key)));
		}
	}

	private void line(String text) {
		this.page.append(text).append('\n');
	}

	private static Map.Entry<String, String> question(MeterDocumentation meter, String question) {
		return Map.entry(meter.getName(), question);
	}

	private static String describe(KeyName key) {
		return Objects.requireNonNull(VALUES.get(key), key::asString);
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
		LockMeterListener meters = new LockMeterListener(registry);
		try (LockTemplate locks = new LockTemplate(new InMemoryLockStore(),
				LockConfiguration.defaults()
					.closeWait(Duration.ZERO)
					.listener(meters)
					.listener(new LockObservationListener(observations, null)))) {
			locks.execute(LockTarget.of("payment", 4711), () -> {
			});
			meters.missed(LockTarget.of("cache:prices", 42), "loaded");
			new LeadershipMeters(registry).add(new LockLeadership("mailer", locks));
		}
		return registry.scrape()
			.lines()
			.filter((line) -> !line.startsWith("#"))
			.map((line) -> line.replaceFirst("[{ ].*", ""))
			.collect(Collectors.toCollection(TreeSet::new));
	}

}
