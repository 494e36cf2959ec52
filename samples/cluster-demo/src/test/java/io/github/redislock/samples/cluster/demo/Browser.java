package io.github.redislock.samples.cluster.demo;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;

import io.github.redislock.testing.Requirements;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;

import org.springframework.util.FileSystemUtils;

/**
 * A headless Chromium of this machine. Tests are skipped without one.
 */
final class Browser implements AutoCloseable {

	private static final File DRIVER = new File("/usr/bin/chromedriver");

	private static final File CHROMIUM = new File("/usr/bin/chromium");

	private final Path userData;

	private final ChromeDriver driver;

	private Browser(Path userData, ChromeDriver driver) {
		this.userData = userData;
		this.driver = driver;
	}

	static Browser open(String url, int width, int height) {
		return open(url, width, height, "");
	}

	/**
	 * Open a page.
	 * @param first a script that runs before those of the page
	 */
	static Browser open(String url, int width, int height, String first) {
		Requirements.need(DRIVER.canExecute() && CHROMIUM.canExecute(), "page in a browser",
				"no Chromium: apt-get install chromium chromium-driver");
		try {
			Path userData = Files.createTempDirectory("lock-browser");
			LoggingPreferences logging = new LoggingPreferences();
			logging.enable(LogType.BROWSER, Level.ALL);
			ChromeOptions options = new ChromeOptions();
			options.setBinary(CHROMIUM);
			options.setCapability(ChromeOptions.LOGGING_PREFS, logging);
			options.addArguments("--headless", "--hide-scrollbars", "--no-sandbox", "--disable-gpu", "--disable-quic",
					"--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
					"--user-data-dir=" + userData, "--window-size=%d,%d".formatted(width, height));
			ChromeDriverService service = new ChromeDriverService.Builder().usingDriverExecutable(DRIVER)
				.usingAnyFreePort()
				.build();
			Browser browser = new Browser(userData, new ChromeDriver(service, options));
			browser.driver.executeCdpCommand("Page.addScriptToEvaluateOnNewDocument", Map.of("source", first));
			browser.load(url, width, height);
			return browser;
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	/**
	 * Load a page in a view of the given size.
	 */
	void load(String url, int width, int height) {
		// A window has a minimum width, unlike an emulated screen.
		this.driver.executeCdpCommand("Emulation.setDeviceMetricsOverride",
				Map.of("width", width, "height", height, "deviceScaleFactor", 1, "mobile", false));
		this.driver.get(url);
	}

	WebElement find(String selector) {
		return this.driver.findElement(By.cssSelector(selector));
	}

	List<WebElement> all(String selector) {
		return this.driver.findElements(By.cssSelector(selector));
	}

	WebElement focused() {
		return this.driver.switchTo().activeElement();
	}

	Object run(String script) {
		return this.driver.executeScript(script);
	}

	void media(String feature, String value) {
		this.driver.executeCdpCommand("Emulation.setEmulatedMedia",
				Map.of("features", List.of(Map.of("name", feature, "value", value))));
	}

	/**
	 * Return the page's warnings and errors since the last call.
	 */
	List<String> complaints() {
		return this.driver.manage()
			.logs()
			.get(LogType.BROWSER)
			.getAll()
			.stream()
			.filter((entry) -> entry.getLevel().intValue() >= Level.WARNING.intValue())
			.map(LogEntry::toString)
			.toList();
	}

	/**
	 * Take a picture of a part of the page, which may be longer than the view.
	 */
	byte[] picture(long top, long bottom) {
		Map<String, Object> clip = Map.of("x", 0, "y", top, "width", run("return innerWidth"), "height", bottom - top,
				"scale", 1);
		Map<String, Object> reply = this.driver.executeCdpCommand("Page.captureScreenshot",
				Map.of("clip", clip, "captureBeyondViewport", true));
		return Base64.getDecoder().decode((String) reply.get("data"));
	}

	@Override
	public void close() throws IOException {
		this.driver.quit();
		FileSystemUtils.deleteRecursively(this.userData);
	}

}
