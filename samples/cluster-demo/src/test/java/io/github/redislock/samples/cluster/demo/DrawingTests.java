package io.github.redislock.samples.cluster.demo;

import java.io.IOException;

import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how the page draws given events.
 */
class DrawingTests {

	private static final RunningDemo demo = RunningDemo.shared();

	/** Replaces the demonstration's events and numbers. */
	private static final String SCRIPT = """
			window.EventSource = class extends EventTarget {
				constructor() {
					super();
					window.feed = this;
				}
			};
			const ask = window.fetch;
			window.scrapes = {};
			window.asked = [];
			window.fetch = (url, ...more) => {
				if (url === 'metrics') {
					return Promise.resolve(new Response(JSON.stringify(window.scrapes)));
				}
				window.asked.push(url);
				return ask(url, ...more);
			};
			window.draw = (...kinds) => {
				const token = '1795313102642704';
				const events = kinds.map(([at, kind, source], id) =>
					({ id: id + 1, at, kind, source, token, text: kind }));
				const now = Math.max(...events.map(({ at }) => at));
				const data = JSON.stringify({ now, events, counters: window.counters ?? {} });
				window.feed.dispatchEvent(new MessageEvent('snapshot', { data }));
			};
			window.state = (worker) => document.querySelector(`[data-worker=${worker}] .state`).textContent;
			// The start and end, in ms, of each rectangle of a kind, from left to right.
			window.spans = (kind) => [...document.querySelectorAll(`#picture rect.${kind}`)]
				.map((rect) => [Number(rect.getAttribute('x')), Number(rect.getAttribute('width'))])
				.filter(([, width]) => width > 0)
				.map(([x, width]) => `${Math.round(x / 26 * 1000)}-${Math.round((x + width) / 26 * 1000)}`)
				.sort().join(' ');
			""";

	private static Browser browser;

	@BeforeAll
	static void openBrowser() {
		browser = Browser.open(demo.url(), 1280, 1000, SCRIPT);
	}

	@AfterAll
	static void closeBrowser() throws IOException {
		if (browser != null) {
			browser.close();
		}
	}

	@Test
	void barEndsWhereTheLeaseEnded() {
		open(1280);
		Object spans = browser.run("""
				draw([10000, 'HOLDS', 'worker-1'], [10300, 'RENEWED', 'worker-1'], [10400, 'FROZEN', 'worker-1'],
					[12000, 'HOLDS', 'worker-2'], [12500, 'NOT_RELEASED', 'worker-1']);
				return `${spans('bar').split(' ')[0]} ${spans('beyond')}`;""");

		// Renewed at 10300, for 1 s.
		assertThat(spans).isEqualTo("10000-11300 11300-12500");
	}

	@Test
	void releaseThatWaitsForRedisIsNotDrawnAsWork() {
		open(1280);
		Object spans = browser.run("""
				draw([10000, 'HOLDS', 'worker-1'], [10200, 'WORKS', 'worker-1'], [10900, 'DONE', 'worker-1'],
					[12500, 'NOT_RELEASED', 'worker-1'],
					[13000, 'HOLDS', 'worker-2'], [14200, 'DONE', 'worker-2'], [15000, 'NOT_RELEASED', 'worker-2']);
				return `${spans('bar')}, ${spans('beyond')}`;""");

		assertThat(spans).isEqualTo("10000-11000 13000-14000, 14000-14200");
	}

	@Test
	void simultaneousHoldsOfTwoWorkersOverlap() {
		open(1280);
		Object spans = browser.run("""
				draw([10000, 'HOLDS', 'worker-1'], [10500, 'HOLDS', 'worker-2'], [10900, 'RELEASED', 'worker-1'],
					[11200, 'RELEASED', 'worker-2']);
				return `${spans('bar')}, ${document.querySelectorAll('#picture .arrow').length} arrows`;""");

		assertThat(spans).isEqualTo("10000-10900 10500-11200, 0 arrows");
	}

	@Test
	void buttonsOfKilledWorkerAreDisabledUntilItIsBack() {
		open(1280);
		String disabled = """
				return [...document.querySelectorAll('.lane button[aria-disabled=true]')]
					.map((button) => button.ariaLabel).join(', ');""";

		String others = "[10000, 'STARTED', 'worker-2'], [10000, 'WAITS', 'worker-3']";
		browser.run("draw(%s, [10000, 'STARTED', 'worker-1'], [10100, 'KILLED', 'worker-1'])".formatted(others));
		assertThat(browser.run(disabled)).isEqualTo("Hang worker-1, Kill worker-1");
		browser.all(".lane button").forEach((button) -> {
			if ("true".equals(button.getDomAttribute("aria-disabled"))) {
				button.click();
			}
		});
		assertThat(browser.run("return window.asked.filter((url) => url.startsWith('workers/')).join(', ')"))
			.isEqualTo("");
		browser.run("draw(%s, [10100, 'KILLED', 'worker-1'], [11000, 'STARTED', 'worker-1'])".formatted(others));
		assertThat(browser.run(disabled)).isEqualTo("");

		browser.run("draw(%s)".formatted(others));
		assertThat(browser.run(disabled)).as("worker-1 starts").isEqualTo("Hang worker-1, Kill worker-1");
	}

	@Test
	void workerThatResumesIsNoLongerCalledStopped() {
		open(1280);

		assertThat(browser.run("""
				draw([10000, 'WAITS', 'worker-1'], [10100, 'FROZEN', 'worker-1']);
				return state('worker-1');""")).isEqualTo("stopped");
		assertThat(browser.run("""
				draw([10000, 'WAITS', 'worker-1'], [10100, 'FROZEN', 'worker-1'], [12600, 'THAWED', 'worker-1']);
				return state('worker-1');""")).isEqualTo("waits for the lock");
	}

	@Test
	void verdictNeedsAHold() {
		open(1280);
		String verdict = "return document.getElementById('verdict-text').textContent;";

		assertThat(browser.run("draw([10000, 'STARTED', 'worker-1']);" + verdict)).isEqualTo("no hold yet");
		assertThat(browser.run("window.counters = { acquisitions: 1 }; draw([10000, 'HOLDS', 'worker-1']);" + verdict))
			.isEqualTo("✓ one at a time");
	}

	/**
	 * A hold of 2.34 s that ended between the first two reports of a worker.
	 */
	@Test
	void rateOfAWorkerThatHasJustStartedIsSpreadOverTheWindow() {
		open(1280);

		assertThat(browser.run("""
				return (async () => {
				const { compile, Samples } = await import('./promql.js');
				const samples = new Samples(180);
				samples.read('used_sum 0', 'worker-1', 100);
				samples.read('used_sum 2.34', 'worker-1', 101);
				return compile('sum(rate(used_sum[15s]))')(samples, 101)[0].value.toFixed(3);
				})();""")).isEqualTo("0.156");
	}

	@Test
	void onlyTheLatestOfTwoHoldersIsShown() {
		open(1280);
		browser.run("""
				const labels = 'application="cluster-demo",lock="ledger",mode="exclusive"';
				const held = (count, longest) => `redis_lock_held_seconds_count{${labels}} ${count}\n`
					+ `redis_lock_held_seconds_max{${labels}} ${longest}\n`;
				window.scrapes = {
					'worker-1': held(1, 7.5), 'worker-2': held(1, 0.5), 'worker-3': held(0, '0.0') };""");

		demo.await(() -> browser.find("#panels").getText().contains("Longest hold\n500 ms"));
		assertThat(browser.find("#panels").getText()).contains("Held now\n1\n");
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 1280 })
	void nothingIsClipped(int width) {
		open(width);
		Object cut = browser.run("""
				return (async () => {
				draw([14000, 'HOLDS', 'worker-1'], [14800, 'LOST', 'worker-1'], [14900, 'FROZEN', 'worker-1'],
					[14950, 'REFUSED', 'worker-1'], [14900, 'HOLDS', 'worker-2'],
					[14990, 'REDIS_PAUSED', 'redis'],
					[15000, 'REFUSED', 'worker-2'], [15000, 'KILLED', 'worker-3']);
				// The position of a label is known after the next frame.
				await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)));
				const { right } = document.getElementById('picture').getBoundingClientRect();
				const beyond = [...document.querySelectorAll('#picture text, #picture .mark')]
					.filter((label) => label.getBoundingClientRect().right > right)
					.map((label) => label.textContent);
				const boxes = '.state, .lane, h2, button, dd, figcaption, output, li';
				const narrow = [...document.querySelectorAll(boxes)]
					.filter((box) => box.scrollWidth > box.clientWidth + 1)
					.map((box) => box.textContent);
				const wide = document.documentElement.scrollWidth > innerWidth ? ['the page'] : [];
				return [...beyond, ...narrow, ...wide].join(', ');
				})();""");

		assertThat(cut).isEqualTo("");
	}

	private static void open(int width) {
		browser.load(demo.url(), width, 1000);
		demo.await(() -> (boolean) browser.run("return window.feed !== undefined"));
	}

}
