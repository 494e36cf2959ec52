package io.github.redislock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Method;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the first paragraph of each method's Javadoc from the source of a type.
 */
final class JavadocOfMethods {

	private static final Path SOURCES = Pages.PROJECT.resolve("lock-core/src/main/java");

	private final Class<?> type;

	private final String source;

	private JavadocOfMethods(Class<?> type, String source) {
		this.type = type;
		this.source = source;
	}

	static JavadocOfMethods of(Class<?> type) {
		try {
			return new JavadocOfMethods(type,
					Files.readString(SOURCES.resolve(type.getName().replace('.', '/') + ".java")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	int position(Method method) {
		String parameters = Stream.of(method.getParameters())
			.map((parameter) -> "[^()]*\\b" + type(parameter) + "\\b[^()]*\\s" + name(parameter))
			.collect(Collectors.joining(",\\s*"));
		Matcher declaration = Pattern.compile("(?m)^\t[^\t */].*\\b" + method.getName() + "\\(" + parameters + "\\)")
			.matcher(this.source);
		if (!declaration.find()) {
			throw new IllegalStateException("There is no %s in the source of %s".formatted(method, this.type));
		}
		return declaration.start();
	}

	/**
	 * Return the first paragraph of a method's Javadoc, in Markdown.
	 */
	String firstParagraph(Method method) {
		int begin = this.source.lastIndexOf("/**", position(method)) + 3;
		String text = this.source.substring(begin, this.source.indexOf("*/", begin));
		return text.split("<p>|@param|@return|@throws")[0].replaceAll("\\s*\\n\\s*\\*", " ")
			.replaceAll("\\{@code ([^}]*)}", "`$1`")
			.replaceAll("<code>(.*?)</code>", "`$1`")
			.replaceAll("</?em>", "*")
			.replaceAll("\\{@link(?:plain)? [^} ]+ ([^}]+)}", "$1")
			.replaceAll("\\{@link #?([^}]+)}", "`$1`")
			.replaceAll("`(\\w+)#", "`$1.")
			.replace("&#64;", "@")
			.replaceAll("\\s+", " ")
			.strip();
	}

	private static String type(Parameter parameter) {
		return parameter.getParameterizedType().getTypeName().replaceAll("<.*|\\[]", "").replaceAll(".*[.$]", "");
	}

	private static String name(Parameter parameter) {
		if (!parameter.isNamePresent()) {
			throw new IllegalStateException("Compiled without parameter names: " + parameter);
		}
		return parameter.getName();
	}

}
