package io.github.redislock.redis;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The scripts as they are sent.
 */
public final class ScriptTexts {

	private ScriptTexts() {
	}

	/**
	 * Return the whole text of each script by the script's name.
	 */
	public static Map<String, String> all() {
		Map<String, String> texts = new LinkedHashMap<>();
		Arrays.stream(LockScript.values())
			.forEach((script) -> texts.put(script.name(), new String(script.bytes(), StandardCharsets.UTF_8)));
		return texts;
	}

}
