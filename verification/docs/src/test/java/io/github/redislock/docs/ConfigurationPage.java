package io.github.redislock.docs;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;

import org.springframework.boot.json.JsonParserFactory;
import org.springframework.util.ClassUtils;

/**
 * The properties and attributes in {@code docs/configuration.md}, generated from the
 * metadata for IDEs and from the annotation.
 */
final class ConfigurationPage {

	/** The defaults of attributes that mean "not set". */
	private static final List<Object> NOT_SET = List.of("", -1);

	private final List<Map<String, Object>> properties;

	private final JavadocOfMethods javadoc;

	private ConfigurationPage(List<Map<String, Object>> properties, JavadocOfMethods javadoc) {
		this.properties = properties;
		this.javadoc = javadoc;
	}

	static ConfigurationPage read() throws IOException {
		URL classes = RedisLockAutoConfiguration.class.getProtectionDomain().getCodeSource().getLocation();
		// Other jars also contain such a file. In a build without jars, our file is in a
		// folder.
		String root = classes.getPath().endsWith(".jar") ? "jar:" + classes + "!/" : classes.toString();
		try (InputStream metadata = new URL(root + "META-INF/spring-configuration-metadata.json").openStream()) {
			String json = new String(metadata.readAllBytes(), StandardCharsets.UTF_8);
			return new ConfigurationPage(properties(JsonParserFactory.getJsonParser().parseMap(json)),
					JavadocOfMethods.of(DistributedLock.class));
		}
	}

	@SuppressWarnings("unchecked")
	private static List<Map<String, Object>> properties(Map<String, Object> metadata) {
		return (List<Map<String, Object>>) Objects.requireNonNull(metadata.get("properties"));
	}

	String update(String page) {
		String withProperties = GeneratedPage.replace(page, "properties", propertiesTable());
		return GeneratedPage.replace(withProperties, "attributes", attributesTable());
	}

	private String propertiesTable() {
		return this.properties.stream()
			.sorted(Comparator.comparing((property) -> (String) property.get("name")))
			.map((property) -> "| `%s` | %s | %s | %s |\n".formatted(property.get("name"), type(property),
					defaultValue(property), GeneratedPage.cell((String) property.get("description"))))
			.collect(Collectors.joining("", "| property | type | default | |\n|---|---|---|---|\n", ""));
	}

	private static String type(Map<String, Object> property) {
		String type = (String) Objects.requireNonNull(property.get("type"));
		if (ClassUtils.isPresent(type, null)) {
			Object[] constants = ClassUtils.resolveClassName(type, null).getEnumConstants();
			if (constants != null) {
				return Stream.of(constants).map(ConfigurationPage::inYaml).collect(Collectors.joining(", "));
			}
		}
		return type.replaceAll("(?:\\w+[.$])+", "").replace("<", "&lt;");
	}

	private static String inYaml(Object constant) {
		return "`" + constant.toString().toLowerCase(Locale.ROOT).replace('_', '-') + "`";
	}

	private static String defaultValue(Map<String, Object> property) {
		Object value = property.get("defaultValue");
		if (value instanceof Number number) {
			// Some parsers return all numbers as floating point.
			value = number.longValue();
		}
		if (value == null || value.toString().isEmpty()) {
			return "";
		}
		String inYaml = inYaml(value);
		return type(property).contains(inYaml) ? inYaml : "`" + value + "`";
	}

	private String attributesTable() {
		return Stream.of(DistributedLock.class.getDeclaredMethods())
			.sorted(Comparator.comparing((attribute) -> this.javadoc.position(attribute)))
			.map((attribute) -> "| `%s` | %s | %s | %s |\n".formatted(attribute.getName(),
					type(attribute).getSimpleName(), defaultValue(attribute),
					GeneratedPage.cell(this.javadoc.firstParagraph(attribute))))
			.collect(Collectors.joining("", "| attribute | type | default | |\n|---|---|---|---|\n", ""));
	}

	/**
	 * Return the type of an attribute's value. For an array, return the type of its
	 * elements, because the array only makes the attribute optional.
	 */
	private static Class<?> type(Method attribute) {
		Class<?> type = attribute.getReturnType();
		return type.isArray() ? type.getComponentType() : type;
	}

	private String defaultValue(Method attribute) {
		Object value = attribute.getDefaultValue();
		if (!(attribute.getReturnType().isArray() || NOT_SET.contains(value))) {
			return "`" + value + "`";
		}
		String property = "redis-lock." + attribute.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
		boolean known = this.properties.stream().anyMatch((each) -> property.equals(each.get("name")));
		return known ? "`" + property + "`" : "";
	}

}
