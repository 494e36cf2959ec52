package io.github.redislock.benchmarks.report;

import java.util.List;
import java.util.Locale;

/**
 * A bar chart in SVG with its own background, so that it is readable on light and dark
 * pages.
 *
 * @param title the title, with the unit
 * @param bars the bars, from top to bottom
 */
record BarChart(String title, List<Bar> bars) {

	private static final int WIDTH = 720;

	private static final int LABELS = 250;

	private static final int VALUES = 90;

	private static final int HEAD = 46;

	private static final int STEP = 28;

	private static final int THICKNESS = 18;

	private static final String STYLE = """
			<style>
			.ground { fill: #ffffff; stroke: #d0d7de; }
			text { fill: #1f2328; font: 13px system-ui, sans-serif; }
			.title { font-weight: 600; font-size: 14px; }
			.limit { fill: #8c959f; } .ours { fill: #1a7f37; } .peer { fill: #0969da; }
			@media (prefers-color-scheme: dark) {
			.ground { fill: #0d1117; stroke: #30363d; }
			text { fill: #e6edf3; }
			.limit { fill: #6e7681; } .ours { fill: #3fb950; } .peer { fill: #4493f8; }
			}
			</style>
			""";

	BarChart {
		bars = List.copyOf(bars);
	}

	String draw() {
		int height = HEAD + STEP * this.bars.size() + 10;
		double longest = this.bars.stream().mapToDouble(Bar::value).max().orElse(1);
		StringBuilder svg = new StringBuilder();
		svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\">\n".formatted(WIDTH,
				height));
		svg.append("<title>%s</title>\n".formatted(escape(this.title)));
		svg.append(STYLE);
		svg.append("<rect class=\"ground\" x=\"0.5\" y=\"0.5\" width=\"%d\" height=\"%d\" rx=\"6\"/>\n"
			.formatted(WIDTH - 1, height - 1));
		svg.append("<text class=\"title\" x=\"16\" y=\"27\">%s</text>\n".formatted(escape(this.title)));
		for (int index = 0; index < this.bars.size(); index++) {
			svg.append(draw(this.bars.get(index), HEAD + STEP * index, longest));
		}
		return svg.append("</svg>\n").toString();
	}

	private static String draw(Bar bar, int top, double longest) {
		double length = Math.max(1, (WIDTH - LABELS - VALUES) * bar.value() / longest);
		return String.format(Locale.ROOT, """
				<text x="%d" y="%d" text-anchor="end">%s</text>
				<rect class="%s" x="%d" y="%d" width="%.1f" height="%d" rx="2"/>
				<text x="%.1f" y="%d">%s</text>
				""", LABELS - 10, top + 14, escape(bar.label()), bar.kind().name().toLowerCase(Locale.ROOT), LABELS,
				top, length, THICKNESS, LABELS + length + 8, top + 14, Figure.plain(bar.value()));
	}

	private static String escape(String text) {
		return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;");
	}

	/**
	 * The kind of contender that a bar shows.
	 */
	enum Kind {

		/** A lower limit. */
		LIMIT,

		/** This project. */
		OURS,

		/** Another library. */
		PEER

	}

	/**
	 * One bar.
	 *
	 * @param label the text in front of the bar
	 * @param value the length of the bar
	 * @param kind the kind of contender
	 */
	record Bar(String label, double value, Kind kind) {

	}

}
