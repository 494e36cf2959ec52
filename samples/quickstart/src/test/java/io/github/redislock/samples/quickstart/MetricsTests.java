package io.github.redislock.samples.quickstart;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The shop's metrics agree with pages, dashboard and alerts.
 */
class MetricsTests {

	private static final Path DOCS = Path.of("../../docs");

	private static final Pattern NAME = Pattern.compile("\\bredis_lock_\\w+");

	private static final Pattern LABEL = Pattern.compile("(\\w+)\\s*(?:=~|!=|!~|=)\\s*\"");

	private static ConfigurableApplicationContext shop;

	private static String scrape;

	@BeforeAll
	static void callAndScrape() throws Exception {
		shop = SpringApplication.run(QuickstartApplication.class, "--server.port=0", "--quickstart.work-time=200ms",
				"--redis-lock.leadership.roles.mailer.timeout=10s");
		Integer port = shop.getEnvironment().getRequiredProperty("local.server.port", Integer.class);
		Callers callers = new Callers(port);
		callers.together(3, "POST", "/payments/4711");
		callers.ask("PUT", "/inventory/book?quantity=10");
		callers.together(3, "POST", "/inventory/book/decrease");
		callers.ask("POST", "/reports/user/mia");
		callers.ask("POST", "/fencing/contract");
		callers.ask("GET", "/quotes/ACME");
		HttpRequest request = HttpRequest
			.newBuilder(URI.create("http://localhost:%d/actuator/prometheus".formatted(port)))
			.build();
		HttpResponse<String> response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
		assertThat(response.statusCode()).isEqualTo(200);
		scrape = response.body();
	}

	@AfterAll
	static void close() {
		shop.close();
	}

	@Test
	void allMetricsOfTheReferenceAreScraped() throws IOException {
		assertThat(namesIn(Files.readString(DOCS.resolve("metrics.md")))).isNotEmpty().isSubsetOf(scraped());
	}

	@Test
	void allMetricsThatAreScrapedAreInTheReference() throws IOException {
		assertThat(scraped()).isSubsetOf(namesIn(Files.readString(DOCS.resolve("metrics.md"))));
	}

	@Test
	void dashboardUsesScrapedMetrics() throws IOException {
		assertThat(namesIn(texts(dashboard(), "expr", "query"))).hasSizeGreaterThan(8).isSubsetOf(scraped());
	}

	@Test
	void dashboardUsesExistingLabels() throws IOException {
		// Prometheus adds the label instance.
		Set<String> known = Stream.concat(labels(scrape).stream(), Stream.of("instance")).collect(Collectors.toSet());

		assertThat(labels(texts(dashboard(), "expr", "query"))).contains("application", "instance", "lock")
			.isSubsetOf(known);
	}

	@Test
	void dashboardHasADataSourceInputAndUniquePanels() throws IOException {
		JsonNode dashboard = dashboard();

		assertThat(dashboard.path("__inputs").path(0).path("name").asString()).isEqualTo("DS_PROMETHEUS");
		assertThat(dashboard.path("uid").asString()).isEqualTo("redis-lock");
		assertThat(dashboard.path("id").isNull()).isTrue();
		assertThat(dashboard.findValues("datasource"))
			.allSatisfy((each) -> assertThat(each.path("uid").asString()).isEqualTo("${DS_PROMETHEUS}"));
		assertThat(stream(dashboard.path("panels")).map((panel) -> panel.path("id").asInt())).doesNotHaveDuplicates();
		assertThat(stream(dashboard.path("templating").path("list")).map((each) -> each.path("name").asString()))
			.containsExactly("application", "instance", "lock");
	}

	@Test
	void everyPanelHasATitleAndADescription() throws IOException {
		assertThat(stream(dashboard().path("panels"))).isNotEmpty().allSatisfy((panel) -> {
			assertThat(panel.path("title").asString()).isNotBlank();
			assertThat(panel.path("description").asString()).as(panel.path("title").asString()).isNotBlank();
			assertThat(panel.path("targets").size()).isPositive();
		});
	}

	@Test
	void alertsUseScrapedMetricsAndSayWhatToDo() throws IOException {
		String alerts = Files.readString(DOCS.resolve("grafana/alerts.yaml"));

		assertThat(namesIn(alerts)).isNotEmpty().isSubsetOf(scraped());
		long rules = count(alerts, "- alert:");
		assertThat(rules).isEqualTo(4);
		for (String part : Set.of("expr:", "severity:", "summary:", "description:", "runbook:")) {
			assertThat(count(alerts, part)).as(part).isEqualTo(rules);
		}
	}

	@Test
	void noLabelContainsAKey() {
		// Leave out the values, because a value may contain any digits.
		String labels = scrape.lines()
			.filter((line) -> line.startsWith("redis_lock_"))
			.map((line) -> line.replaceFirst(" [^ ]*$", ""))
			.collect(Collectors.joining("\n"));

		assertThat(labels).contains("lock=\"payment\"")
			.contains("lock=\"user-report\"")
			.doesNotContain("4711")
			.doesNotContain("mia");
	}

	@Test
	void metersOfUncalledMethodsStartAtZero() {
		assertThat(scrape.lines()).anyMatch((line) -> line.startsWith("redis_lock_losses_total{")
				&& line.contains("lock=\"task\"") && line.endsWith(" 0.0"));
	}

	private static Set<String> scraped() {
		return scrape.lines()
			.filter((line) -> line.startsWith("redis_lock_"))
			.map((line) -> line.replaceFirst("[{ ].*", ""))
			.collect(Collectors.toCollection(TreeSet::new));
	}

	private static Set<String> namesIn(String text) {
		return find(NAME, 0, text);
	}

	private static Set<String> labels(String text) {
		return find(LABEL, 1, text);
	}

	private static Set<String> find(Pattern pattern, int group, String text) {
		Set<String> found = new TreeSet<>();
		Matcher matcher = pattern.matcher(text);
		while (matcher.find()) {
			found.add(matcher.group(group));
		}
		return found;
	}

	private static String texts(JsonNode node, String... fields) {
		return Stream.of(fields)
			.flatMap((field) -> node.findValues(field).stream())
			.map((value) -> value.isString() ? value.asString() : value.toString().replace("\\\"", "\""))
			.collect(Collectors.joining("\n"));
	}

	private static JsonNode dashboard() {
		try {
			return new JsonMapper().readTree(Files.readString(DOCS.resolve("grafana/redis-lock.json")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static Stream<JsonNode> stream(JsonNode array) {
		return StreamSupport.stream(array.spliterator(), false);
	}

	private static long count(String text, String part) {
		return text.lines().filter((line) -> line.strip().startsWith(part)).count();
	}

}
