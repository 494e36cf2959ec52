package io.github.redislock.observation;

import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.HandOverKind;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.leadership.LockLeadership;
import io.github.redislock.memory.InMemoryLockStore;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.observation.DefaultMeterObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Writes the reference of metrics and traces, from the meters that the code registers,
 * the texts below, and the output of a Prometheus registry.
 */
final class MetricsPage {

	/** Each meter, with the question of an operator that it answers. */
	private static final Map<String, String> QUESTIONS = ordered(
			Map.entry("redis.lock.acquire", "How long do callers wait, and how do their waits end?"),
			Map.entry("redis.lock.acquire.active", "How many callers are waiting right now, and for how long?"),
			Map.entry("redis.lock.waiters", "How many callers are waiting right now?"),
			Map.entry("redis.lock.held", "What is held now, and for how long?"),
			Map.entry("redis.lock.usage", "How long are locks held?"),
			Map.entry("redis.lock.hand.overs", "Do locks pass from caller to caller, and how?"),
			Map.entry("redis.lock.timeouts", "How often is a lock busy for too long?"),
			Map.entry("redis.lock.refusals", "Are callers refused because too many wait?"),
			Map.entry("redis.lock.renewals", "Are leases renewed while the work goes on?"),
			Map.entry("redis.lock.losses", "Has work continued without protection?"),
			Map.entry("redis.lock.cache.misses", "Are the values of caches loaded once?"),
			Map.entry("redis.lock.leadership.leader", "Which instance leads, and is there one at all?"),
			Map.entry("redis.lock.leadership.grants", "How often does the leader change?"),
			Map.entry("redis.lock.leadership.skipped", "Do the other instances skip the work?"));

	/** All tags, in the order in which they are shown. */
	private static final List<String> TAGS = List.of("lock", "mode", "from", "outcome", "error", "role");

	/** The tags with the same values on all meters that have them. */
	private static final Map<String, String> COMMON_VALUES = ordered(
			Map.entry("lock", "the declared name without its key, or `other`"),
			Map.entry("mode", "`exclusive`, `read` or `permit`"));

	/** The tags whose values depend on the meter, by meter and tag. */
	private static final Map<String, String> VALUES = ordered(
			Map.entry("redis.lock.acquire outcome",
					"`acquired`; `timeout`: another owner had it; `refused`: too many were waiting;"
							+ " `interrupted`; `cancelled`: the caller's future or subscription ended; `shutdown`;"
							+ " `error`: the store did not reply; `pending`: the wait goes on"),
			Map.entry("redis.lock.acquire error", "the class of the exception with `outcome=error`, else `none`"),
			Map.entry("redis.lock.usage outcome",
					"`released`; `lost` before, including the time after the loss;"
							+ " `unknown`: the store did not reply in time"),
			Map.entry("redis.lock.hand.overs from",
					"`local`: a caller of this instance; `remote`: another instance, which handed it over; `none`:"
							+ " it was free or had run out, or another instance of a quorum had it"),
			Map.entry("redis.lock.renewals outcome",
					"`renewed`; `failed`: the store did not reply, and is asked again while the lease lasts."
							+ " The first lease of a lock that was handed over counts only if it fails"),
			Map.entry("redis.lock.cache.misses outcome",
					"`loaded`: the caller loads the value under the lock; `unlocked`: it loads without the lock;"
							+ " `waited`: another caller has loaded the value; `stale`: the caller gets an old value"));

	/** The attributes of spans that are not tags of meters. */
	private static final Map<String, String> ATTRIBUTES = ordered(
			Map.entry("redis.lock.name", "the whole name, with its key"),
			Map.entry("redis.lock.from", "where the lock came from: `local`, `remote` or `none`"),
			Map.entry("redis.lock.fencing_token", "the fencing token of the hold"));

	private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

	private final StringBuilder page = new StringBuilder();

	static String write() {
		MetricsPage page = new MetricsPage();
		page.use();
		page.meters();
		page.tags();
		page.span();
		return page.page.toString();
	}

	/**
	 * Acquire one lock, with percentiles, so that all meters are registered.
	 */
	private void use() {
		this.registry.config().meterFilter(new Percentiles());
		ObservationRegistry observations = ObservationRegistry.create();
		observations.observationConfig().observationHandler(new DefaultMeterObservationHandler(this.registry));
		LockMeterListener meters = new LockMeterListener(this.registry);
		try (LockTemplate locks = new LockTemplate(new InMemoryLockStore(),
				LockConfiguration.defaults()
					.closeWait(Duration.ZERO)
					.listener(meters)
					.listener(new LockObservationListener(observations, null)))) {
			locks.execute(LockTarget.of("payment", 4711), () -> {
			});
			meters.missed(LockTarget.of("cache:prices", 42), "loaded");
			meters.measure(new LockLeadership("mailer", locks));
		}
	}

	private void meters() {
		assertThat(this.registry.getMeters()).extracting((meter) -> meter.getId().getName())
			.as("meters with a question")
			.containsAll(QUESTIONS.keySet())
			.isSubsetOf(QUESTIONS.keySet());
		Set<String> scraped = scrape();
		line("| Meter | Type | Prometheus | Tags | Question |");
		line("|---|---|---|---|---|");
		QUESTIONS.forEach((name, question) -> {
			String series = scraped.stream()
				.filter((each) -> name.equals(meterOf(each)))
				.map((each) -> "`" + each + "`")
				.collect(Collectors.joining(", "));
			String tags = tagsOf(name).stream().map((tag) -> "`" + tag + "`").collect(Collectors.joining(", "));
			line("| `%s` | %s | %s | %s | %s |".formatted(name, typeOf(name), series, tags, question));
		});
		line("");
	}

	private void tags() {
		assertThat(QUESTIONS.keySet().stream().flatMap(this::ownTags)).as("tags with a description")
			.containsExactlyInAnyOrderElementsOf(VALUES.keySet());
		line("| Tag | On | Values |");
		line("|---|---|---|");
		COMMON_VALUES
			.forEach((tag, values) -> line("| `%s` | all but those of leadership | %s |".formatted(tag, values)));
		VALUES.forEach((where, values) -> {
			String[] meterAndTag = where.split(" ");
			line("| `%s` | `%s` | %s |".formatted(meterAndTag[1], meterAndTag[0], values));
		});
		line("| `role` | those of leadership | the name of the role |");
		line("");
	}

	private Stream<String> ownTags(String meter) {
		// The timer of waits describes the tags of its long-task timer as well.
		return meter.endsWith(".active") ? Stream.empty()
				: tagsOf(meter).stream()
					.filter((tag) -> !COMMON_VALUES.containsKey(tag) && !tag.equals("role"))
					.map((tag) -> meter + ' ' + tag);
	}

	private void span() {
		DefaultLockObservationConvention convention = new DefaultLockObservationConvention();
		LockAcquireContext context = new LockAcquireContext(LockTarget.of("payment", 4711), "payment");
		context.acquired(HandOverKind.LOCAL, 1);
		assertThat(keys(convention.getHighCardinalityKeyValues(context))).as("attributes with a description")
			.containsExactlyInAnyOrderElementsOf(ATTRIBUTES.keySet());
		line("| Attribute of the span | Value |");
		line("|---|---|");
		inOrder(keys(convention.getLowCardinalityKeyValues(context)))
			.forEach((key) -> line("| `%s` | as above |".formatted(key)));
		ATTRIBUTES.forEach((key, value) -> line("| `%s` | %s |".formatted(key, value)));
	}

	private void line(String text) {
		this.page.append(text).append('\n');
	}

	private String typeOf(String meter) {
		Meter.Type type = this.registry.get(meter).meters().iterator().next().getId().getType();
		return type.name().toLowerCase(Locale.ROOT).replace('_', '-');
	}

	private List<String> tagsOf(String meter) {
		return inOrder(this.registry.get(meter)
			.meters()
			.stream()
			.flatMap((each) -> each.getId().getTags().stream())
			.map(Tag::getKey)
			.toList());
	}

	private static List<String> inOrder(Collection<String> tags) {
		assertThat(TAGS).containsAll(tags);
		return TAGS.stream().filter(tags::contains).toList();
	}

	private static List<String> keys(KeyValues values) {
		return values.stream().map(KeyValue::getKey).toList();
	}

	/**
	 * Return the meter of a series: the one with the longest matching name.
	 */
	private static String meterOf(String series) {
		String dotted = series.replace('_', '.');
		return QUESTIONS.keySet()
			.stream()
			.filter(dotted::startsWith)
			.reduce((one, other) -> (one.length() > other.length()) ? one : other)
			.orElse("");
	}

	/**
	 * Return the series that Prometheus would scrape.
	 */
	private Set<String> scrape() {
		return this.registry.scrape()
			.lines()
			.filter((line) -> !line.startsWith("#"))
			.map((line) -> line.replaceFirst("[{ ].*", ""))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	@SafeVarargs
	private static Map<String, String> ordered(Map.Entry<String, String>... entries) {
		Map<String, String> map = new LinkedHashMap<>();
		for (Map.Entry<String, String> entry : entries) {
			map.put(entry.getKey(), entry.getValue());
		}
		return map;
	}

}
