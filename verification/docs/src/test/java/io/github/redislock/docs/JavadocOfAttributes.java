package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The Javadoc of the attributes of {@code @DistributedLock}, out of its source.
 */
final class JavadocOfAttributes {

	private static final Path SOURCE = Pages.PROJECT
		.resolve("lock-core/src/main/java/io/github/redislock/annotation/DistributedLock.java");

	private final String source;

	private JavadocOfAttributes(String source) {
		this.source = source;
	}

	static JavadocOfAttributes read() throws IOException {
		return new JavadocOfAttributes(Files.readString(SOURCE));
	}

	/**
	 * Return where an attribute is declared, to sort by.
	 */
	int position(String attribute) {
		Matcher declaration = Pattern.compile("\\s" + attribute + "\\(\\) default").matcher(this.source);
		if (!declaration.find()) {
			throw new IllegalStateException("There is no attribute '%s' in %s".formatted(attribute, SOURCE));
		}
		return declaration.start();
	}

	/**
	 * Return what the Javadoc says first of an attribute, in Markdown.
	 */
	String firstParagraph(String attribute) {
		int begin = this.source.lastIndexOf("/**", position(attribute)) + 3;
		String text = this.source.substring(begin, this.source.indexOf("*/", begin));
		return text.split("<p>|@return")[0].replaceAll("\\s*\\n\\s*\\*", " ")
			.replaceAll("\\{@code ([^}]*)}", "`$1`")
			.replaceAll("<code>(.*?)</code>", "`$1`")
			.replaceAll("\\{@link [^} ]+ ([^}]+)}", "$1")
			.replaceAll("\\{@link #?([^}]+)}", "`$1`")
			.replace("&#64;", "@")
			.replaceAll("\\s+", " ")
			.strip();
	}

}
