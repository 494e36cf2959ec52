package io.github.redislock.simulation;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * A mistake in the text of scripts.
 */
final class ChangedScripts implements Mistake {

	private final List<Change> changes;

	private final List<Fault> faults;

	private final Map<String, String> changed = new HashMap<>();

	private ChangedScripts(List<Change> changes, List<Fault> faults) {
		this.changes = changes;
		this.faults = faults;
	}

	/**
	 * Replace a text in a script and its variants. For example, a change of
	 * {@code release} also changes {@code release-shared}.
	 */
	static ChangedScripts replace(String script, String text, String by) {
		return new ChangedScripts(List.of(new Change(script.toUpperCase(java.util.Locale.ROOT), text, by)), List.of());
	}

	ChangedScripts and(String script, String text, String by) {
		List<Change> more = new ArrayList<>(this.changes);
		more.addAll(replace(script, text, by).changes);
		return new ChangedScripts(more, this.faults);
	}

	ChangedScripts among(Fault... faults) {
		return new ChangedScripts(this.changes, List.of(faults));
	}

	@Override
	public String script(String name, String source) {
		return this.changed.computeIfAbsent(name, (script) -> change(script, source));
	}

	private String change(String name, String source) {
		String text = source;
		for (Change change : this.changes) {
			if (change.isOf(name)) {
				if (!text.contains(change.text())) {
					throw new IllegalStateException(
							"Cannot plant a mistake in %s, which does not contain '%s'".formatted(name, change.text()));
				}
				text = text.replace(change.text(), change.by());
			}
		}
		return text;
	}

	@Override
	public List<Fault> faults(List<Fault> all) {
		return this.faults.isEmpty() ? all : this.faults;
	}

	private record Change(String script, String text, String by) {

		boolean isOf(String name) {
			return name.equals(this.script) || name.startsWith(this.script + "_");
		}

	}

}
