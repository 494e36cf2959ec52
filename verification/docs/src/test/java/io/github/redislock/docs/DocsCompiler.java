package io.github.redislock.docs;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.ToolProvider;

import io.github.redislock.testing.CodeBlock;

import org.springframework.core.io.ClassPathResource;

/**
 * Compiles blocks of Java code, all at once, against the class path of the tests.
 */
final class DocsCompiler {

	private final DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();

	private final Path classes;

	private DocsCompiler(Path classes) {
		this.classes = classes;
	}

	static DocsCompiler compile(List<CodeBlock> blocks, Path classes) throws IOException {
		String imports = new ClassPathResource("docs/imports.txt").getContentAsString(StandardCharsets.UTF_8)
			.replace("\n", " ");
		List<JavaInDocs> sources = new ArrayList<>();
		for (CodeBlock block : blocks) {
			sources.add(new JavaInDocs(block, sources.size(), imports));
		}
		DocsCompiler compiler = new DocsCompiler(classes);
		JavaCompiler javac = ToolProvider.getSystemJavaCompiler();
		List<String> options = List.of("-d", classes.toString(), "-parameters", "-proc:none", "-nowarn", "--release",
				"17", "-cp", System.getProperty("java.class.path"));
		javac.getTask(null, null, compiler.diagnostics, options, null, sources).call();
		return compiler;
	}

	/**
	 * Return the compiler's errors with their positions in the pages.
	 */
	List<String> errors() {
		return this.diagnostics.getDiagnostics()
			.stream()
			.filter((each) -> each.getKind() == Diagnostic.Kind.ERROR)
			.map(DocsCompiler::describe)
			.toList();
	}

	private static String describe(Diagnostic<? extends JavaFileObject> error) {
		String where = (error.getSource() instanceof JavaInDocs source) ? source.block() + ", " : "";
		return "%sline %d of the source made of it: %s".formatted(where, error.getLineNumber(),
				error.getMessage(Locale.ROOT));
	}

	List<Class<?>> load() throws IOException {
		URLClassLoader loader = new URLClassLoader(new URL[] { url(this.classes) }, getClass().getClassLoader());
		try (Stream<Path> files = Files.walk(this.classes)) {
			return files.filter((file) -> file.toString().endsWith(".class"))
				.<Class<?>>map((file) -> load(loader, this.classes.relativize(file).toString()))
				.toList();
		}
	}

	private static Class<?> load(ClassLoader loader, String file) {
		try {
			return loader.loadClass(file.replace('/', '.').replaceFirst("\\.class$", ""));
		}
		catch (ClassNotFoundException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static URL url(Path folder) {
		try {
			return folder.toUri().toURL();
		}
		catch (MalformedURLException ex) {
			throw new UncheckedIOException(ex);
		}
	}

}
