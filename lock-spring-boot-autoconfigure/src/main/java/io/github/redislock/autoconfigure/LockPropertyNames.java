package io.github.redislock.autoconfigure;

import java.lang.reflect.Parameter;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Map.Entry;
import java.util.Optional;

import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/**
 * The names and types of all properties under {@code redis-lock}.
 */
final class LockPropertyNames {

	static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("redis-lock");

	private static final ConfigurationPropertyName LEADERSHIP = ROOT.append("leadership");

	static final ConfigurationPropertyName ROLES = LEADERSHIP.append("roles");

	/** The name of any role's settings: "name" is a placeholder for the role. */
	private static final ConfigurationPropertyName ROLE = ROLES.append("name");

	static final ConfigurationPropertyName WAIT_TIME = ROOT.append("wait-time");

	private final Map<ConfigurationPropertyName, Class<?>> types = new LinkedHashMap<>();

	LockPropertyNames() {
		add(ROOT, RedisLockProperties.class);
		this.types.put(ROLE, RedisLockProperties.Role.class);
		add(ROLE, RedisLockProperties.Role.class);
		// Set by @AutoConfigureRedisLock.
		this.types.put(ROOT.append("test.manual-clock"), boolean.class);
	}

	private void add(ConfigurationPropertyName parent, Class<?> group) {
		// Reads the constructor, because a native image may lack the record components.
		for (Parameter property : group.getDeclaredConstructors()[0].getParameters()) {
			Class<?> type = property.getType();
			ConfigurationPropertyName name = parent.append(DataObjectPropertyName.toDashedForm(property.getName()));
			this.types.put(name, type);
			if (type.isRecord()) {
				add(name, type);
			}
		}
	}

	/**
	 * Return whether there is a property or a group of properties with the given name. An
	 * element of a collection also counts.
	 */
	boolean contain(ConfigurationPropertyName name) {
		ConfigurationPropertyName general = ofAnyRole(name);
		return this.types.containsKey(general) || this.types.entrySet()
			.stream()
			.anyMatch((known) -> mayHave(known.getKey(), known.getValue(), general));
	}

	/**
	 * Return the known property name that means the same as the given one or is most
	 * similar to it, or nothing if none is similar enough.
	 */
	Optional<ConfigurationPropertyName> nearest(ConfigurationPropertyName name) {
		boolean withoutRoles = LEADERSHIP.isParentOf(name.getParent()) && !ROLES.isAncestorOf(name);
		ConfigurationPropertyName meant = withoutRoles ? ROLES.append(name.subName(LEADERSHIP.getNumberOfElements()))
				: name;
		// Other libraries use these words.
		String wanted = uniform(ofAnyRole(meant))
			.replaceFirst(
					"\\b(default)?(lock)?(lease|ttl|timetolive|atmostfor|timeout|expir\\w*|watchdog)(time(out)?)?$",
					"timeout")
			.replaceFirst("\\b(default|max)?(lock)?(wait|acquire|acquisition)(time(out)?)?$", "waittime")
			.replaceFirst("\\b(lock)?(prefix|registrykey|namespace)$", "keyprefix");
		return this.types.keySet()
			.stream()
			.map((known) -> Map.entry(known, distance(uniform(known), wanted)))
			.filter((known) -> known.getValue() <= Math.max(3, wanted.length() / 3))
			.min(Comparator.comparingInt(Entry::getValue))
			.map((known) -> ofRoleIn(meant, known.getKey()));
	}

	/**
	 * Return a property's name with the placeholder instead of the role.
	 */
	static ConfigurationPropertyName ofAnyRole(ConfigurationPropertyName name) {
		return ROLES.isAncestorOf(name) ? ROLE.append(name.subName(ROLE.getNumberOfElements())) : name;
	}

	/**
	 * Return a known name with the role of the given name instead of the placeholder.
	 */
	private static ConfigurationPropertyName ofRoleIn(ConfigurationPropertyName name, ConfigurationPropertyName known) {
		return (ROLES.isAncestorOf(name) && ROLE.isAncestorOf(known))
				? name.chop(ROLE.getNumberOfElements()).append(known.subName(ROLE.getNumberOfElements())) : known;
	}

	private static boolean mayHave(ConfigurationPropertyName known, Class<?> type, ConfigurationPropertyName name) {
		return Collection.class.isAssignableFrom(type) && known.isParentOf(name)
				&& name.isNumericIndex(name.getNumberOfElements() - 1);
	}

	private static String uniform(ConfigurationPropertyName name) {
		return name.subName(ROOT.getNumberOfElements()).toString().replace("-", "");
	}

	/**
	 * Return how many characters must be inserted, removed or replaced to get the other
	 * text.
	 */
	private static int distance(String one, String other) {
		int[] previous = new int[other.length() + 1];
		for (int column = 0; column <= other.length(); column++) {
			previous[column] = column;
		}
		for (int row = 1; row <= one.length(); row++) {
			int[] current = new int[other.length() + 1];
			current[0] = row;
			for (int column = 1; column <= other.length(); column++) {
				int replaced = previous[column - 1] + ((one.charAt(row - 1) == other.charAt(column - 1)) ? 0 : 1);
				current[column] = Math.min(replaced, Math.min(previous[column], current[column - 1]) + 1);
			}
			previous = current;
		}
		return previous[other.length()];
	}

}
