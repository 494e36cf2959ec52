package io.github.redislock.samples.cluster.demo;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.openqa.selenium.WebElement;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the panels of the dashboard on the page, and their data.
 */
class DashboardTests {

	private static final Path DASHBOARD = Path.of("../../docs/grafana/redis-lock.json");

	private static final RunningDemo demo = RunningDemo.shared();

	private static Browser browser;

	@BeforeAll
	static void openPage() {
		browser = Browser.open(demo.url(), 1320, 1000);
		demo.await(() -> !browser.all("#panels .panel").isEmpty());
	}

	@AfterAll
	static void closePage() throws IOException {
		if (browser != null) {
			browser.close();
		}
	}

	@Test
	void pageHasThePanelsOfTheDashboard() throws IOException {
		List<String> titles = new JsonMapper().readTree(Files.readString(DASHBOARD))
			.path("panels")
			.valueStream()
			.map((panel) -> panel.path("title").asString())
			.toList();

		assertThat(
				browser.run("return [...document.querySelectorAll('#panels figcaption')].map((it) => it.textContent)"))
			.asInstanceOf(InstanceOfAssertFactories.LIST)
			.hasSizeGreaterThan(10)
			.isEqualTo(titles);
	}

	@Test
	void chartsHaveAxes() throws IOException {
		List<String> labels = new JsonMapper().readTree(Files.readString(DASHBOARD))
			.path("panels")
			.valueStream()
			.filter((panel) -> panel.path("type").asString().equals("timeseries"))
			.map((panel) -> panel.at("/fieldConfig/defaults/custom/axisLabel").asString())
			.toList();

		assertThat(labels).isNotEmpty().doesNotContain("");
		assertThat(browser.all("#panels .axis")).extracting(WebElement::getText).isEqualTo(labels);
		assertThat(browser.all("#panels .times")).hasSameSizeAs(labels)
			.allMatch((times) -> times.getText().equals("3 min ago\nnow"));
		assertThat(browser.all("#panels .values")).hasSameSizeAs(labels)
			.allMatch((values) -> values.getText().matches("\\S+( m?s| /s)?\n0(\\.00)?( ms| /s)?"));
	}

	@Test
	void panelsShowTheMetricsOfTheWorkers() {
		// The lock passes from one worker to the other. Each hold lasts some time, and
		// each lease is renewed.
		demo.await(() -> words("Hand-overs").matches("(?s).*remote (?!0.00)\\d+\\.\\d\\d /s.*"));
		demo.await(() -> words("Renewals").matches("(?s).*renewed (?!0.00)\\d+\\.\\d\\d /s.*"));
		demo.await(() -> words("How waits end").matches("(?s).*acquired (?!0.00)\\d+\\.\\d\\d /s.*"));
		demo.await(() -> words("Hold time").matches("(?s).*p50 ledger [1-9][\\d.]* m?s.*p99 ledger [1-9].*"));
		demo.await(() -> words("Waiting now").matches("[12]"));
		assertThat(words("Timeouts")).isEqualTo("0");
		assertThat(browser.all("#panels .timeseries .line")).hasSizeGreaterThan(12);
		assertThat(browser.complaints()).isEmpty();
	}

	@Test
	void lossesOfHangingWorkersAreCounted() {
		demo.await(() -> !words("Losses").equals("0"));
	}

	/**
	 * The numbers are those of Prometheus, without extrapolation to the boundaries of a
	 * window.
	 */
	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			waiters                                              | a one 3, b one 1, a two 2
			waiters{lock="a", instance=~"t.*"}                   | a two 2
			waiters{lock!="a"}                                   | b one 1
			waiters{instance!~"on.?"}                            | a two 2
			waiters{lock=~"no.*"}                                |
			nothing                                              |
			sum(waiters)                                         | all 6
			sum by (lock) (waiters)                              | a 5, b 1
			max by (lock) (waiters)                              | a 3, b 1
			increase(losses[10s])                                | one 4
			increase(losses[3s])                                 | one 1
			rate(losses[10s])                                    | one 0.5
			histogram_quantile(0.5, sum by (le) (took_bucket))   | all 1.5
			histogram_quantile(0.125, took_bucket)               | one 0.5
			histogram_quantile(0.99, took_bucket)                | one 2
			histogram_quantile(0.99, nobody_bucket)              |
			gone                                                 |
			""")
	void queryResultsMatchThoseOfPrometheus(String query, String expected) {
		Object reply = browser.run("""
				return import('./promql.js').then(({ compile, Samples }) => {
					const samples = new Samples(60);
					samples.read('gone{lock="a"} 1', 'one', 11);
					for (const [at, losses] of [[4, 1], [6, 3], [8, 1], [10, 1], [12, 2]]) {
						samples.read(`# TYPE losses counter\\nlosses ${losses}`, 'one', at);
					}
					samples.read('waiters{lock="a"} 3.0\\nwaiters{lock="b"} 1\\n', 'one', 12);
					samples.read('waiters{lock="a"} 2', 'two', 12);
					samples.read('took_bucket{le="1.0"} 4\\ntook_bucket{le="2.0"} 12', 'one', 12);
					samples.read('took_bucket{le="+Inf"} 16', 'one', 12);
					samples.read('nobody_bucket{le="1.0"} 0\\nnobody_bucket{le="+Inf"} 0', 'one', 12);
					const words = ({ labels, value }) => `${Object.values(labels).join(' ') || 'all'} ${value}`;
					return compile('%s')(samples, 12).map(words).join(', ');
				});""".formatted(query));

		assertThat(reply).isEqualTo((expected != null) ? expected : "");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
			sum(waiters) / 2      | Not understood
			sum(waiters           | ) wanted
			rate(losses)          | [ wanted
			sum(waiters) waiters  | Not understood
			""")
	void unsupportedQueriesAreErrors(String query, String complaint) {
		Object error = browser.run("""
				return import('./promql.js').then(({ compile }) => {
					try {
						return String(compile('%s'));
					}
					catch (error) {
						return error.message;
					}
				});""".formatted(query));

		assertThat(error).asString().startsWith(complaint);
	}

	@Test
	void everyWorkerIsATargetForPrometheus() throws Exception {
		JsonNode targets = new JsonMapper().readTree(get("targets").body());

		assertThat(targets.size()).isEqualTo(demo.workers().names().size());
		for (JsonNode target : targets) {
			assertThat(demo.workers().names()).contains(target.path("labels").path("instance").asString());
			assertThat(demo.url()).contains(target.path("targets").path(0).asString());
			String path = target.path("labels").path("__metrics_path__").asString().substring(1);
			demo.await(() -> get(path).statusCode() == 200);
			assertThat(get(path).body()).contains("redis_lock_waiters{application=\"cluster-demo\",lock=\"ledger\"");
		}
	}

	@Test
	void deadWorkerIsNotScraped() throws Exception {
		assertThat(get("workers/worker-99/metrics").statusCode()).isEqualTo(503);
		HttpRequest nobody = HttpRequest.newBuilder(URI.create(demo.url() + "workers/worker-99/metrics"))
			.PUT(HttpRequest.BodyPublishers.ofString("waiters 1"))
			.build();

		assertThat(HttpClient.newHttpClient().send(nobody, BodyHandlers.discarding()).statusCode()).isEqualTo(404);
	}

	/**
	 * Return the text of a panel without its title and its picture.
	 */
	private static String words(String title) {
		return (String) browser.run("""
				const panel = [...document.querySelectorAll('#panels .panel')]
					.find((each) => each.querySelector('figcaption').textContent === '%s');
				return [...panel.querySelectorAll('output, li')].map((each) => each.textContent).join('\\n');"""
			.formatted(title));
	}

	private static HttpResponse<String> get(String path) {
		try {
			return HttpClient.newHttpClient()
				.send(HttpRequest.newBuilder(URI.create(demo.url() + path)).build(), BodyHandlers.ofString());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
