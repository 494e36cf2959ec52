package io.github.redislock.docs;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import io.github.redislock.testing.CodeBlock;

import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.ClassUtils;

/**
 * A piece of {@code application.yml} in the documentation.
 *
 * @param where file and line
 * @param text the piece
 */
record YamlInDocs(String where, String text) {

	/**
	 * The type to which the properties of locks are bound. It is package-private.
	 */
	static final Class<?> PROPERTIES = ClassUtils
		.resolveClassName("io.github.redislock.autoconfigure.RedisLockProperties", null);

	/**
	 * Example values for the users' environment.
	 */
	private static final Map<String, Object> SECRETS = Map.of("REDIS_PASSWORD", "secret", "SENTINEL_PASSWORD", "secret",
			"spring.application.name", "shop");

	static List<YamlInDocs> blocksOf(Path page) throws IOException {
		return CodeBlock.in(page, "yaml")
			.stream()
			.map((block) -> new YamlInDocs(block.toString(), block.text()))
			.toList();
	}

	/**
	 * Read the properties from the comment at the head of a file: the indented lines
	 * after the one about the application.
	 */
	static YamlInDocs headOf(Path file) throws IOException {
		List<String> lines = Files.readAllLines(file);
		int begin = lines.indexOf("# The application, on this machine:");
		List<String> indented = lines.subList(begin + 1, lines.size())
			.stream()
			.skip(1)
			.takeWhile((line) -> line.startsWith("#   "))
			.map((line) -> line.substring(4))
			.toList();
		return new YamlInDocs("%s/%s:%d".formatted(file.getParent().getFileName(), file.getFileName(), begin + 3),
				String.join("\n", indented));
	}

	ConfigurableEnvironment environment() throws IOException {
		StandardEnvironment environment = new StandardEnvironment();
		properties().forEach(environment.getPropertySources()::addFirst);
		environment.getPropertySources().addLast(new MapPropertySource("secrets", SECRETS));
		return environment;
	}

	List<String> names() throws IOException {
		return properties().stream()
			.flatMap((each) -> List.of(((EnumerablePropertySource<?>) each).getPropertyNames()).stream())
			.toList();
	}

	/**
	 * Return all settings, including secrets, as {@code name=value}. This machine
	 * replaces all hosts, so that no name is looked up.
	 */
	String[] pairs() throws IOException {
		ConfigurableEnvironment environment = environment();
		return names().stream()
			.map((name) -> name + "=" + environment.getProperty(name))
			.map((pair) -> pair.replaceAll("\\w+-(\\d)\\.example\\.org", "127.0.0.$1"))
			.map((pair) -> pair.replace("redis.example.org", "127.0.0.1"))
			.toArray(String[]::new);
	}

	private List<PropertySource<?>> properties() throws IOException {
		byte[] yaml = this.text.getBytes(StandardCharsets.UTF_8);
		return new YamlPropertySourceLoader().load(this.where, new ByteArrayResource(yaml, this.where));
	}

	@Override
	public String toString() {
		return this.where;
	}

}
