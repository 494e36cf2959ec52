package io.github.redislock.samples.cluster.demo;

import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.Set;

import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests the page in a real browser.
 */
class PageTests {

	private static final RunningDemo demo = RunningDemo.shared();

	private static Browser browser;

	@BeforeAll
	static void openPage() {
		browser = Browser.open(demo.url(), 1320, 1000);
		demo.await(() -> browser.all("#picture .bar").size() >= 3);
	}

	@AfterAll
	static void closePage() throws IOException {
		if (browser != null) {
			browser.close();
		}
	}

	@AfterEach
	void noComplaintsAndNoViolations() {
		assertThat(browser.complaints()).isEmpty();
		assertThat(browser.find("#violations").getText()).isEqualTo("0");
		assertThat(browser.find("#verdict-text").getText()).isEqualTo("✓ one at a time");
	}

	@Test
	void holdsWaitsHandOversAndTokensAreShown() {
		demo.await(() -> number("#handOvers") >= 3 && browser.all("#picture .arrow").size() >= 3);

		assertThat(browser.all("#picture .waiting")).isNotEmpty();
		// The driver reads text only in the visible part.
		Object tokens = browser
			.run("return [...document.querySelectorAll('#picture .token')].map((label) => label.textContent)");
		assertThat(tokens).asInstanceOf(InstanceOfAssertFactories.list(String.class))
			.isNotEmpty()
			.allMatch((label) -> label.matches("…\\d\\u2009\\d{3}\\u2009\\d{3}"));
		assertThat(browser.run("""
				const boxes = [...document.querySelectorAll('#picture .token')].map((label) => label.getBBox());
				return boxes.filter((box) => boxes.some((other) => other.y === box.y && other.x > box.x
					&& other.x < box.x + box.width)).length""")).as("covered labels").isEqualTo(0L);
		assertThat(browser.all("#log li")).isNotEmpty();
		assertThat(number("#acquisitions")).isGreaterThan(3);
	}

	@Test
	@Tag("thorough")
	@Tag("promise-processes-die")
	void killIsShownAndTheWorkerComesBack() {
		long kills = number("#kills");
		WebElement kill = browser.find("[data-worker=worker-3] button[aria-label='Kill worker-3']");

		// The worker may still start at that moment.
		demo.await(() -> {
			kill.sendKeys(Keys.ENTER);
			return number("#kills") > kills && !browser.all("[data-kind=KILLED]").isEmpty();
		});
		demo.await(() -> !browser.all("[data-kind=STARTED]").isEmpty());
		assertThat(browser.find("#log").getText()).contains("is killed");
	}

	@Test
	void hangIsShown() {
		WebElement hang = browser.find("button[aria-label='Hang worker-1']");

		// The worker may be dead at that moment.
		demo.await(() -> {
			hang.sendKeys(Keys.SPACE);
			return !browser.all("[data-kind=FROZEN]").isEmpty() && !browser.all("#picture .still").isEmpty();
		});
	}

	@Test
	void pauseOfRedisIsShown() {
		demo.await(() -> browser.find("#pause-redis").getText().equals("Pause Redis"));

		browser.find("#pause-redis").sendKeys(Keys.ENTER);

		demo.await(() -> !browser.all("#picture .pause").isEmpty());
		assertThat(browser.find("#picture .pause-label").getDomProperty("textContent")).isEqualTo("Redis paused");
	}

	@Test
	@Tag("thorough")
	void everyButtonIsReachableByKeyboardAndLabelled() {
		demo.await(() -> browser.find("#pause-redis").getText().equals("Pause Redis"));
		Set<String> reached = new LinkedHashSet<>();
		browser.run("document.activeElement.blur()");
		browser.find("body").sendKeys(Keys.TAB);
		for (int presses = 0; presses < 12; presses++) {
			WebElement focused = browser.focused();
			if (focused.getTagName().equals("button")) {
				reached.add(focused.getAccessibleName());
				assertThat(focused.getCssValue("outline-style")).isEqualTo("solid");
			}
			focused.sendKeys(Keys.TAB);
		}

		assertThat(reached).containsExactlyInAnyOrder("Pause Redis", "Hang worker-1", "Kill worker-1", "Hang worker-2",
				"Kill worker-2", "Hang worker-3", "Kill worker-3");
	}

	@Test
	void pageLoadsNothingFromOtherHosts() {
		Object elsewhere = browser.run("return performance.getEntriesByType('resource').map((one) => one.name)"
				+ ".filter((name) => !name.startsWith(location.origin))");

		assertThat(elsewhere).asInstanceOf(InstanceOfAssertFactories.LIST).isEmpty();
	}

	private static long number(String selector) {
		return Long.parseLong(browser.find(selector).getText().replace(",", ""));
	}

}
