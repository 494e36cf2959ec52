package io.github.redislock.internal.support;

import org.jspecify.annotations.Nullable;

/**
 * Checks whether a text may be used as a lock name or token.
 */
public final class TextRules {

	private TextRules() {
	}

	/**
	 * Refuse a text with characters that a store or a log might change or misread.
	 * @param what the name of the text in the message
	 * @throws IllegalArgumentException with a message that gives the reason
	 */
	public static void requireUsable(String what, String text) {
		int character;
		for (int index = 0; index < text.length(); index += Character.charCount(character)) {
			character = text.codePointAt(index);
			String kind = kind(character);
			if (kind != null) {
				throw new IllegalArgumentException(
						"%s must not contain %s but contains U+%04X".formatted(what, kind, character));
			}
		}
	}

	/**
	 * Return the kind of an unusable character, or {@code null} if it is usable. In
	 * UTF-8, half of a surrogate pair would become a question mark, so the stored text
	 * would be another one. A log viewer might show a separator as a line break.
	 */
	private static @Nullable String kind(int character) {
		return switch (Character.getType(character)) {
			case Character.CONTROL -> "control characters";
			case Character.SURROGATE -> "half of a surrogate pair";
			case Character.LINE_SEPARATOR, Character.PARAGRAPH_SEPARATOR -> "line separators";
			default -> null;
		};
	}

}
