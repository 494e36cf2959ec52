package io.github.redislock.samples.cluster.demo;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.redislock.samples.cluster.demo.timeline.Counters;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Takes the pictures of the documentation on demand: {@code -Ddemo.pictures}.
 */
@EnabledIfSystemProperty(named = "demo.pictures", matches = ".*")
class PictureTests {

	private static final Path IMAGES = Path.of("../../docs/images");

	private static final int MARGIN = 24;

	@Test
	void capturesTheRunningPage() throws IOException {
		try (RunningDemo demo = RunningDemo.start(); Browser browser = Browser.open(demo.url(), 1320, 1172)) {
			demo.await(() -> {
				Counters counters = demo.counters();
				return counters.acquisitions() >= 70 && counters.kills() > 0 && counters.refusals() > 1
						&& isShown(browser, "KILLED") && isShown(browser, "LOST") && isShown(browser, "REFUSED");
			});
			for (String scheme : new String[] { "light", "dark" }) {
				browser.media("prefers-color-scheme", scheme);
				String suffix = scheme.equals("dark") ? "-dark.png" : ".png";
				long dashboard = (long) browser.run("return document.querySelector('.dashboard').offsetTop");
				long end = (long) browser.run("return document.documentElement.scrollHeight");
				save(browser.picture(0, dashboard), "cluster-demo" + suffix);
				save(browser.picture(dashboard - MARGIN, end), "dashboard" + suffix);
			}
		}
	}

	private static void save(byte[] picture, String name) throws IOException {
		assertThat(picture).hasSizeLessThan(400_000);
		Files.write(IMAGES.resolve(name), picture);
	}

	/**
	 * Return whether an event is in the middle of the picture, not at its edge.
	 */
	private static boolean isShown(Browser browser, String kind) {
		return (boolean) browser.run("""
				const { left, right } = document.getElementById('picture').getBoundingClientRect();
				return [...document.querySelectorAll('[data-kind=%s]')].map((mark) => mark.getBoundingClientRect())
					.some((mark) => mark.left > left + 20 && mark.right < right - 140);""".formatted(kind));
	}

}
