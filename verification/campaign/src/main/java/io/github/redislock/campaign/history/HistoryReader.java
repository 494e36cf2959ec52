package io.github.redislock.campaign.history;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

import io.github.redislock.campaign.history.Attempt.Grant;
import org.jspecify.annotations.Nullable;

/**
 * Reads the record of one process.
 *
 * @see Recorder
 */
public final class HistoryReader {

	private final String client;

	private final List<Attempt> attempts = new ArrayList<>();

	private final Map<String, Open> open = new HashMap<>();

	private final List<History.End> ends = new ArrayList<>();

	private final List<History.Stop> stops = new ArrayList<>();

	private final List<String> unexpected = new ArrayList<>();

	private HistoryReader(String client) {
		this.client = client;
	}

	/**
	 * Read a file.
	 * @param client the process that wrote it
	 * @param file the file
	 * @param killedAt when the process was killed, if it was
	 * @return the history of the process
	 */
	public static History read(String client, Path file, OptionalLong killedAt) {
		HistoryReader reader = new HistoryReader(client);
		try {
			Files.readAllLines(file).forEach((line) -> reader.read(line.split(" ")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		Outcome outcome = killedAt.isPresent() ? Outcome.KILLED : Outcome.STUCK;
		long end = killedAt.orElseGet(System::nanoTime);
		reader.open.values().forEach((begun) -> reader.attempts.add(begun.cutOff(client, outcome, end)));
		return new History(reader.attempts, reader.ends, reader.stops, reader.unexpected);
	}

	private void read(String[] words) {
		if (words[0].equals("bad")) {
			this.unexpected.add(this.client + " " + String.join(" ", words));
			return;
		}
		if (words[0].equals("gap")) {
			this.stops.add(new History.Stop(this.client, Long.parseLong(words[1]), Long.parseLong(words[2])));
			return;
		}
		if (words[0].equals("told")) {
			this.ends.add(new History.End(this.client, Long.parseLong(words[1]), Long.parseLong(words[2])));
			return;
		}
		String attempt = words[1];
		switch (words[0]) {
			case "ask" -> this.open.put(attempt, new Open(words));
			case "has" -> begun(attempt).has = words;
			case "off" -> begun(attempt).off = words;
			case "end" -> this.attempts.add(close(attempt).end(this.client, Outcome.valueOf(words[2]),
					Long.parseLong(words[3]), Long.parseLong(words[4])));
			case "not" -> this.attempts.add(close(attempt).denied(this.client, Outcome.valueOf(words[2]),
					Long.parseLong(words[3]), orNull(words[4])));
			default -> throw new IllegalArgumentException(String.join(" ", words));
		}
	}

	private Open begun(String attempt) {
		Open begun = this.open.get(attempt);
		if (begun == null) {
			throw new IllegalArgumentException("Attempt " + attempt + " of " + this.client + " never began");
		}
		return begun;
	}

	private Open close(String attempt) {
		Open begun = begun(attempt);
		this.open.remove(attempt);
		return begun;
	}

	private static @Nullable String orNull(String word) {
		return word.equals(Recorder.NONE) ? null : word;
	}

	private static final class Open {

		private final String[] ask;

		private String @Nullable [] has;

		private String @Nullable [] off;

		Open(String[] ask) {
			this.ask = ask;
		}

		Attempt end(String client, Outcome outcome, long until, long ended) {
			String[] has = this.has;
			if (has == null) {
				throw new IllegalArgumentException(
						"The end of a hold was recorded, but not its grant: " + String.join(" ", this.ask));
			}
			long replied = Long.parseLong(has[4]);
			return attempt(client, replied, new Grant(Long.parseLong(has[2]), has[3], replied, until), outcome, ended,
					null);
		}

		Attempt denied(String client, Outcome outcome, long replied, @Nullable String holder) {
			return attempt(client, replied, null, outcome, replied, holder);
		}

		/**
		 * Complete an attempt whose process was killed or is stuck. A killed process no
		 * longer claims a lock.
		 */
		Attempt cutOff(String client, Outcome outcome, long end) {
			String[] has = this.has;
			String[] off = this.off;
			if (has != null) {
				long until = Long.parseLong((off != null) ? off[2] : has[5]);
				return end(client, outcome, Math.min(until, end), end);
			}
			return attempt(client, end, null, outcome, end, null);
		}

		private Attempt attempt(String client, long replied, @Nullable Grant grant, Outcome outcome, long ended,
				@Nullable String holder) {
			return new Attempt(client, this.ask[2], orNull(this.ask[3]), Long.parseLong(this.ask[4]),
					Long.parseLong(this.ask[5]), replied, grant, outcome, ended, holder);
		}

	}

}
