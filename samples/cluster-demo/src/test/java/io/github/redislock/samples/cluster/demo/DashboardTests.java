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
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
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
	@Tag("thorough")
	void panelsShowTheMetricsOfTheWorkers() {
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
	void everyWorkerIsATargetForPrometheus() throws Exception {
		JsonNode targets = new JsonMapper().readTree(get("targets").body());

		assertThat(targets.size()).isEqualTo(demo.workers().names().size());
		for (JsonNode target : targets) {
			assertThat(demo.workers().names()).contains(target.path("labels").path("instance").asString());
			assertThat(demo.url()).contains(target.path("targets").path(0).asString());
			String path = target.path("labels").path("__metrics_path__").asString().substring(1);
			// A worker that has just started has no such meter yet.
			demo.await(
					() -> get(path).body().contains("redis_lock_waiters{application=\"cluster-demo\",lock=\"ledger\""));
		}
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
