package io.github.redislock.redis;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The texts of the scripts that are sent.
 */
public final class ScriptTexts {

	private ScriptTexts() {
	}

	/**
	 * Return the whole text of each script by the script's name.
	 */
	public static Map<String, String> all() {
		Map<String, String> texts = new LinkedHashMap<>();
		SimulatedStores.files().forEach((script) -> texts.put(SimulatedStores.name(script), script.text()));
		return texts;
	}

}
