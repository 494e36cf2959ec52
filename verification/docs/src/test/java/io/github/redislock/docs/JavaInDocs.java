package io.github.redislock.docs;

import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.SimpleJavaFileObject;

import io.github.redislock.testing.CodeBlock;

/**
 * A block of Java code as a source file, completed with everything that the page omits.
 * <p>
 * A block with a {@code package} is a file, and must compile unchanged. Any other gets
 * the imports of {@code docs/imports.txt} in addition to its own, and all that
 * {@link Surroundings} declares. Members and types are put into a class, statements into
 * a method. {@code { … }} is a body that the page does not show.
 */
final class JavaInDocs extends SimpleJavaFileObject {

	private static final Pattern METHOD = Pattern
		.compile("(?!(?:return|new|else|throw|try|if|for|while|do|switch|catch|synchronized)\\b)"
				+ "[\\w<>\\[\\],.?& ]+\\s\\w+\\([^;=]*(?:\\{.*)?");

	private static final Pattern TYPE = Pattern
		.compile("(?:(?:public|private|static|final|abstract) )*(?:class|record|enum|interface|@interface) .*");

	private static final Pattern HIDDEN_BODY = Pattern.compile("\\{ … }");

	private final CodeBlock block;

	private final String source;

	JavaInDocs(CodeBlock block, int number, String imports) {
		super(URI.create("string:///docs/block%d/%s.java".formatted(number, typeName(block, number))), Kind.SOURCE);
		this.block = block;
		this.source = source(block, "docs.block" + number, "Block" + number, imports);
	}

	/**
	 * Return the file name that the block declares, or one for the generated class.
	 */
	private static String typeName(CodeBlock block, int number) {
		if (!isFile(block)) {
			return "Block" + number;
		}
		return block.lines()
			.stream()
			.filter((line) -> TYPE.matcher(line).matches())
			.map((line) -> line.replaceFirst(".*(?:class|record|enum|interface) (\\w+).*", "$1"))
			.findFirst()
			.orElseThrow();
	}

	private static boolean isFile(CodeBlock block) {
		return block.text().startsWith("package ");
	}

	private static String source(CodeBlock block, String packageName, String type, String imports) {
		String head = "package " + packageName + "; ";
		if (isFile(block)) {
			return block.text().replaceFirst("package [\\w.]+;", head);
		}
		List<String> ownImports = new ArrayList<>();
		List<String> lines = new ArrayList<>();
		for (String line : block.lines()) {
			(line.startsWith("import ") ? ownImports : lines).add(line);
		}
		String code = HIDDEN_BODY.matcher(String.join("\n", lines))
			.replaceAll("{ throw new UnsupportedOperationException(); }");
		String body = isMembers(lines) ? code
				: "Object block() throws Exception {\nif (always()) {\n" + code + "\n}\nreturn null;\n}";
		return head + imports + "\n" + String.join("\n", ownImports) + "\nclass " + type + " {\n" + body + "\n}\n";
	}

	private static boolean isMembers(List<String> lines) {
		return lines.stream()
			.anyMatch((line) -> line.startsWith("@") || METHOD.matcher(line).matches() || TYPE.matcher(line).matches());
	}

	CodeBlock block() {
		return this.block;
	}

	@Override
	public CharSequence getCharContent(boolean ignoreEncodingErrors) {
		return this.source;
	}

}
