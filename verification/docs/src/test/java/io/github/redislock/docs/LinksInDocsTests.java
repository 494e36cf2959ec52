package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Links to pages, files and headings have existing targets.
 */
class LinksInDocsTests {

	private static final Pattern LINK = Pattern
		.compile("(?<!\\\\)\\]\\(([^)\\s]+)\\)|(?:src|srcset|href)=\"([^\"]+)\"");

	private static final Pattern HEADING = Pattern.compile("#{1,6} (.+)");

	@ParameterizedTest
	@MethodSource("pages")
	void linksOfThePageAreValid(Path page) throws IOException {
		List<String> dead = links(page).filter((link) -> !leadsSomewhere(page, link)).toList();

		assertThat(dead).isEmpty();
	}

	@Test
	void deadLinksAreFound() {
		assertThat(leadsSomewhere(Pages.README, "docs/README.md#i-want-to")).isTrue();
		assertThat(leadsSomewhere(Pages.README, "#install")).isTrue();
		assertThat(leadsSomewhere(Pages.README, "docs/README.md#nowhere")).isFalse();
		assertThat(leadsSomewhere(Pages.README, "docs/nothing.md")).isFalse();
	}

	@Test
	void everyUserPageIsReachableFromTheReadme() throws IOException {
		List<Path> reached = new ArrayList<>(List.of(Pages.README.normalize()));
		for (int next = 0; next < reached.size(); next++) {
			Path page = reached.get(next);
			links(page).filter((link) -> !link.contains("://"))
				.map((link) -> page.resolveSibling(link.replaceFirst("#.*", "")).normalize())
				.filter((target) -> Pages.isPage(target) && Files.exists(target))
				.filter((target) -> !reached.contains(target))
				.forEach(reached::add);
		}

		assertThat(reached).containsAll(Pages.ofUsers().stream().map(Path::normalize).toList());
	}

	static Stream<Path> pages() throws IOException {
		return Pages.all().stream();
	}

	/**
	 * Return the links of a page, without examples in its code.
	 */
	private static Stream<String> links(Path page) {
		String text = read(page).replaceAll("(?ms)^```.*?^```", "").replaceAll("`[^`\n]+`", "code");
		return LINK.matcher(text).results().map((link) -> (link.group(1) != null) ? link.group(1) : link.group(2));
	}

	private static boolean leadsSomewhere(Path page, String link) {
		if (link.contains("://") || link.startsWith("mailto:")) {
			return true;
		}
		String[] parts = link.split("#", 2);
		Path target = parts[0].isEmpty() ? page : page.resolveSibling(parts[0]);
		return Files.exists(target) && (parts.length == 1 || anchors(target).contains(parts[1]));
	}

	/**
	 * Return the anchors of a page's headings in GitHub's spelling.
	 */
	private static List<String> anchors(Path page) {
		Map<String, Integer> seen = new HashMap<>();
		return read(page).replaceAll("(?ms)^```.*?^```", "")
			.lines()
			.map(HEADING::matcher)
			.filter((heading) -> heading.matches())
			.map((heading) -> heading.group(1).replaceAll("\\]\\([^)]*\\)", "").strip())
			.map((heading) -> heading.toLowerCase(Locale.ROOT).replaceAll("[^\\p{L}\\p{N}_ -]", "").replace(' ', '-'))
			.map((anchor) -> {
				int before = seen.merge(anchor, 1, Integer::sum) - 1;
				return (before > 0) ? anchor + "-" + before : anchor;
			})
			.toList();
	}

	private static String read(Path page) {
		try {
			return Files.readString(page);
		}
		catch (IOException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
