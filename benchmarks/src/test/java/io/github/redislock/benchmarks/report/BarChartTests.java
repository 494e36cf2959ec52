package io.github.redislock.benchmarks.report;

import java.io.StringReader;
import java.util.List;

import javax.xml.parsers.DocumentBuilderFactory;

import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import static org.assertj.core.api.Assertions.assertThat;

class BarChartTests {

	@Test
	void barLengthsAreProportionalToValues() throws Exception {
		BarChart chart = new BarChart("pairs/s", List.of(new BarChart.Bar("limit", 400, BarChart.Kind.LIMIT),
				new BarChart.Bar("ours", 200, BarChart.Kind.OURS), new BarChart.Bar("other", 100, BarChart.Kind.PEER)));

		Document svg = parse(chart.draw());

		assertThat(width(svg, "limit")).isEqualTo(2 * width(svg, "ours"));
		assertThat(width(svg, "ours")).isEqualTo(2 * width(svg, "peer"));
	}

	private static Document parse(String svg) throws Exception {
		return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
	}

	private static double width(Document svg, String kind) {
		NodeList rectangles = svg.getElementsByTagName("rect");
		for (int index = 0; index < rectangles.getLength(); index++) {
			Element rectangle = (Element) rectangles.item(index);
			if (rectangle.getAttribute("class").equals(kind)) {
				return Double.parseDouble(rectangle.getAttribute("width"));
			}
		}
		throw new AssertionError("no bar of kind " + kind);
	}

}
