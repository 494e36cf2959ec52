package io.github.redislock.samples.cluster.demo;

import java.io.IOException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What the page draws of events that a test makes up.
 */
class DrawingTests {

	private static final RunningDemo demo = RunningDemo.shared();

	/** Instead of the demonstration's events and numbers. */
	private static final String SCRIPT = """
			window.EventSource = class extends EventTarget {
				constructor() {
					super();
					window.feed = this;
				}
			};
			const ask = window.fetch;
			const none = () => Promise.resolve(new Response('{}'));
			window.fetch = (url, ...more) => url === 'metrics' ? none() : ask(url, ...more);
			window.draw = (...kinds) => {
				const token = '1795313102642704';
				const events = kinds.map(([at, kind, source], id) =>
					({ id: id + 1, at, kind, source, token, text: kind }));
				const now = Math.max(...events.map(({ at }) => at));
				const data = JSON.stringify({ now, events, counters: {} });
				window.feed.dispatchEvent(new MessageEvent('snapshot', { data }));
			};
			""";

	@Test
	void lineOfDeadHolderEndsWithItsLease() throws IOException {
		try (Browser browser = open(1280)) {
			Object seconds = browser.run("""
					draw([10000, 'HOLDS', 'worker-1'], [10300, 'RENEWED', 'worker-1'], [10400, 'KILLED', 'worker-1'],
						[14000, 'STARTED', 'worker-2']);
					const line = document.querySelector('#picture .ghost');
					return (line.getAttribute('x2') - line.getAttribute('x1')) / 26;""");

			// Renewed 0.1 s before, for 1 s.
			assertThat(((Number) seconds).doubleValue()).isBetween(0.89, 0.91);
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 400, 1280 })
	void nothingIsCut(int width) throws IOException {
		try (Browser browser = open(width)) {
			Object cut = browser.run("""
					return (async () => {
					draw([14000, 'HOLDS', 'worker-1'], [14800, 'LOST', 'worker-1'], [14900, 'FROZEN', 'worker-1'],
						[14950, 'REFUSED', 'worker-1'], [14900, 'HOLDS', 'worker-2'],
						[14990, 'REDIS_PAUSED', 'redis'],
						[15000, 'REFUSED', 'worker-2'], [15000, 'KILLED', 'worker-3']);
					// Where a label is, is known when the next frame has been drawn.
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
	}

	@Test
	void emptyPanelsSaySo() throws IOException {
		try (Browser browser = open(1280)) {
			demo.await(() -> !browser.all("#panels .timeseries ul li").isEmpty());

			assertThat(browser.all("#panels .timeseries ul"))
				.allMatch((words) -> words.getText().equals("nothing yet"));
		}
	}

	private static Browser open(int width) {
		Browser browser = Browser.open(demo.url(), width, 1000, SCRIPT);
		demo.await(() -> (boolean) browser.run("return window.feed !== undefined"));
		return browser;
	}

}
