package io.github.redislock.benchmarks.report;

/**
 * A generated part of a page.
 *
 * @param name the part's name
 */
record Markers(String name) {

	/**
	 * Replace the text between the markers of a page.
	 * @throws IllegalArgumentException if the page has no such markers
	 */
	String replace(String page, String text) {
		String begin = "<!-- " + this.name + ":begin -->";
		String end = "<!-- " + this.name + ":end -->";
		int from = page.indexOf(begin);
		int to = page.indexOf(end);
		if (from < 0 || to < from) {
			throw new IllegalArgumentException("The page has no lines '%s' and '%s'".formatted(begin, end));
		}
		return page.substring(0, from + begin.length()) + "\n\n" + text.strip() + "\n\n" + page.substring(to);
	}

}
