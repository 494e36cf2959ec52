package io.github.redislock.internal.support;

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
			if (isUnusable(character)) {
				throw new IllegalArgumentException(
						"%s must not contain %s but contains U+%04X".formatted(what, kind(character), character));
			}
		}
	}

	private static boolean isUnusable(int character) {
		return Character.isISOControl(character) || isLineSeparator(character) || isHalf(character);
	}

	private static String kind(int unusable) {
		if (isHalf(unusable)) {
			// In UTF-8 it would become a question mark, so the stored text would be
			// another one.
			return "half of a surrogate pair";
		}
		return isLineSeparator(unusable) ? "line separators" : "control characters";
	}

	/**
	 * Return whether a log viewer might show the character as a line break.
	 */
	private static boolean isLineSeparator(int character) {
		return character == 0x2028 || character == 0x2029;
	}

	/**
	 * Return whether a code point is half of a surrogate pair.
	 */
	private static boolean isHalf(int character) {
		return character >= Character.MIN_SURROGATE && character <= Character.MAX_SURROGATE;
	}

}
