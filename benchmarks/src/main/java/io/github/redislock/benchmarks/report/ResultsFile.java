package io.github.redislock.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads and writes results as JSON.
 */
public final class ResultsFile {

	private static final JsonMapper MAPPER = JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

	private ResultsFile() {
	}

	public static void write(Results results, Path file) throws IOException {
		Files.createDirectories(file.toAbsolutePath().getParent());
		Map<String, Object> document = new LinkedHashMap<>();
		document.put("machine", results.machine());
		document.put("series", results.series());
		Files.writeString(file, MAPPER.writeValueAsString(document) + "\n");
	}

	public static Results read(Path file) throws IOException {
		JsonNode document = MAPPER.readTree(Files.readString(file));
		Map<String, String> machine = new LinkedHashMap<>();
		document.get("machine").forEachEntry((name, text) -> machine.put(name, text.asString()));
		List<Results.Series> series = new ArrayList<>();
		for (JsonNode one : document.get("series")) {
			List<Double> values = new ArrayList<>();
			// NaN is written as text.
			one.get("values").forEach((value) -> values.add(Double.valueOf(value.asString())));
			series.add(new Results.Series(one.get("caseName").asString(), one.get("contender").asString(),
					one.get("metric").asString(), values));
		}
		return new Results(machine, series);
	}

	/**
	 * Return the newest file with results, by its name.
	 * @throws IOException if there is no such file
	 */
	public static Path newest(Path folder) throws IOException {
		try (Stream<Path> files = Files.list(folder)) {
			return files.filter((file) -> file.toString().endsWith(".json"))
				.max(Path::compareTo)
				.orElseThrow(() -> new IOException("No results in " + folder));
		}
	}

}
