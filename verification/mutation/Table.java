import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Prints how many planted mistakes the tests found in each package, how many of the
 * others no test even reaches, and those that are neither found nor accepted. Fails if
 * there is one.
 */
public final class Table {

	private static final String REASON = " -- ";

	private final boolean sample;

	private final Set<String> accepted;

	private final Map<String, Row> rows = new TreeMap<>();

	private final Set<String> survivors = new TreeSet<>();

	private Table(Path accepted, boolean sample) throws IOException {
		this.sample = sample;
		this.accepted = Files.readAllLines(accepted)
			.stream()
			.filter((line) -> line.contains(REASON))
			.map((line) -> line.substring(0, line.indexOf(REASON)))
			.map((id) -> sample ? id.replaceFirst(" \\(\\d+\\)$", "") : id)
			.collect(Collectors.toSet());
	}

	/**
	 * Print the table.
	 * @param arguments the file of accepted mistakes, whether all or a {@code sample}
	 * were planted, the folder of the reports, and the modules
	 */
	public static void main(String[] arguments) throws IOException {
		Table table = new Table(Path.of(arguments[0]), "sample".equals(arguments[1]));
		for (String module : List.of(arguments).subList(3, arguments.length)) {
			Path report = Path.of(arguments[2], module, "mutations.csv");
			if (Files.exists(report)) {
				table.read(module, report);
			}
		}
		table.print();
		System.exit(table.survivors.isEmpty() ? 0 : 1);
	}

	private void read(String module, Path report) throws IOException {
		Map<String, Integer> times = new HashMap<>();
		for (String line : Files.readAllLines(report)) {
			// file, class, mutator, method, line, result, test
			String[] fields = line.split(",");
			String outer = fields[1].replaceAll("\\$.*", "");
			String name = outer.substring(0, outer.lastIndexOf('.'));
			Path file = Path.of(module, "src/main/java", name.replace('.', '/'), fields[0]);
			String text = Files.readAllLines(file).get(Integer.parseInt(fields[4]) - 1).strip();
			String kind = fields[2].substring(fields[2].lastIndexOf('.') + 1).replace("Mutator", "");
			String id = "%s.%s %s: %s".formatted(fields[1], fields[3], kind, text);
			// Equal ones in the same line are numbered. A sample would number them
			// otherwise.
			int number = times.merge(id, 1, Integer::sum);
			id = (number > 1 && !this.sample) ? id + " (" + number + ")" : id;
			Row row = this.rows.computeIfAbsent(name, (none) -> new Row());
			row.planted++;
			switch (fields[5]) {
				case "SURVIVED", "NO_COVERAGE" -> {
					if (fields[5].equals("NO_COVERAGE")) {
						row.unreached++;
					}
					if (this.accepted.contains(id)) {
						row.accepted++;
					}
					else {
						this.survivors.add(fields[5] + " " + id);
					}
				}
				default -> row.found++;
			}
		}
	}

	private void print() {
		System.out.printf("%-60s %7s %7s %8s %8s %9s %7s%n", "package", "planted", "found", "accepted", "survived",
				"unreached", "found");
		this.rows.forEach((name, row) -> System.out.printf("%-60s %7d %7d %8d %8d %9d %6.1f%%%n", name, row.planted,
				row.found, row.accepted, row.planted - row.found - row.accepted, row.unreached,
				100.0 * row.found / row.planted));
		this.survivors.forEach(System.out::println);
	}

	private static final class Row {

		private int planted;

		private int found;

		private int accepted;

		private int unreached;

	}

}
