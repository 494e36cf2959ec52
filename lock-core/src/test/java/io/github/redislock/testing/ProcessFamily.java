package io.github.redislock.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.springframework.util.FileSystemUtils;

/**
 * A JVM with a separate temporary folder, and all processes that it starts, including
 * daemons. On Linux only.
 */
public final class ProcessFamily implements AutoCloseable {

	private final Path folder;

	private final Process process;

	private final BufferedReader output;

	private ProcessFamily(Path folder, Process process) {
		this.folder = folder;
		this.process = process;
		this.output = process.inputReader();
	}

	public static ProcessFamily start(ProcessBuilder command) throws IOException {
		Path folder = Files.createTempDirectory("process-family");
		command.environment().put("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + folder);
		return new ProcessFamily(folder, Signals.start(command));
	}

	public Process process() {
		return this.process;
	}

	/**
	 * Read its output until a line contains a text.
	 */
	public void awaitLine(String text) throws IOException {
		StringBuilder said = new StringBuilder();
		for (String line = this.output.readLine(); line != null; line = this.output.readLine()) {
			if (line.contains(text)) {
				return;
			}
			said.append(line).append('\n');
		}
		throw new AssertionError("It ended before it said '%s':\n%s".formatted(text, said));
	}

	/**
	 * Return all of its live processes, including itself.
	 */
	public List<ProcessHandle> alive() {
		return ProcessHandle.allProcesses().filter(this::belongs).toList();
	}

	/**
	 * Return its live processes whose command contains a text.
	 */
	public List<ProcessHandle> alive(String command) {
		return alive().stream().filter((each) -> content(each, "cmdline").contains(command)).toList();
	}

	/**
	 * Return the content of the temporary folder.
	 */
	public List<Path> leftovers() throws IOException {
		try (Stream<Path> entries = Files.list(this.folder)) {
			return entries.toList();
		}
	}

	@Override
	public void close() throws IOException {
		this.output.close();
		alive().forEach(ProcessHandle::destroyForcibly);
		FileSystemUtils.deleteRecursively(this.folder);
	}

	/**
	 * The environment of a process contains the folder. A process that overwrites its
	 * environment with a title, like Redis, has its program in the folder.
	 */
	private boolean belongs(ProcessHandle process) {
		return content(process, "environ").contains(this.folder.toString())
				|| program(process).startsWith(this.folder.toString());
	}

	private static String content(ProcessHandle process, String file) {
		try {
			return Files.readString(entry(process, file), StandardCharsets.ISO_8859_1);
		}
		catch (IOException ex) {
			// The process has ended or belongs to another user.
			return "";
		}
	}

	private static String program(ProcessHandle process) {
		try {
			return Files.readSymbolicLink(entry(process, "exe")).toString();
		}
		catch (IOException ex) {
			return "";
		}
	}

	private static Path entry(ProcessHandle process, String file) {
		return Path.of("/proc", Long.toString(process.pid()), file);
	}

}
