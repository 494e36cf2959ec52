package io.github.redislock.internal.support;

import java.lang.reflect.Array;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.BaseStream;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import org.jspecify.annotations.Nullable;

/**
 * Decides which values can be the key of a lock, which are several keys, and what their
 * text is. A value is refused if its text may differ between two processes, because their
 * locks would not exclude each other.
 * <p>
 * A reason for a refusal is the end of a sentence, as in <em>is null</em>.
 */
public final class KeyRules {

	/**
	 * The maximum number of elements of a key. There is a limit because a stream may be
	 * infinite.
	 */
	private static final int MOST_ELEMENTS = 10_000;

	/**
	 * The text of an object without its own {@code toString()}, also of an array or a
	 * lambda. Email addresses such as {@code Ann.Lee@decade.org} do not match.
	 */
	private static final Pattern HASH = Pattern.compile("(\\[[A-Z]|\\w\\.[A-Z$][\\w$]{0,99}(/0x[0-9a-f]{1,16})?;?)"
			+ "@[0-9a-f]{5,8}(?![a-zA-Z]|[\\w-]*\\.[a-zA-Z])");

	private static final String HASHED = "has a hash code that differs between processes: use a property of";

	/** The method that returns the content of a value class of Kotlin. */
	private static final String UNBOX = "unbox-impl";

	/**
	 * The methods that return the values in the text of an object: the components of a
	 * record, or of a data class or value class of Kotlin. Fails if the class is refused.
	 * Cached, because calls need it.
	 */
	private static final ClassValue<List<Method>> COMPONENTS = new ClassValue<>() {

		@Override
		protected List<Method> computeValue(Class<?> type) {
			require(whyNotOne(type));
			Stream<Method> methods = type.isRecord()
					? Arrays.stream(type.getRecordComponents()).map(RecordComponent::getAccessor)
					: Stream.of(type.getDeclaredMethods())
						.filter((method) -> method.getName().matches("component\\d.*|" + UNBOX))
						.filter((method) -> Stream.of(type.getAnnotations())
							.anyMatch((each) -> each.annotationType().getName().equals("kotlin.Metadata")));
			return methods.peek(Method::trySetAccessible).toList();
		}

	};

	private KeyRules() {
	}

	/**
	 * Return whether a value of a class is several keys, one for each element.
	 */
	public static boolean areSeveral(Class<?> type) {
		return type.isArray() && type != byte[].class || BaseStream.class.isAssignableFrom(type)
				|| Iterable.class.isAssignableFrom(type) && !Path.class.isAssignableFrom(type);
	}

	/**
	 * Return why values of a class or its subclasses cannot be one key, as far as that is
	 * known from the class.
	 * @return the reason, or {@code null} if no reason is known
	 */
	public static @Nullable String whyNotOne(Class<?> type) {
		String reason = areSeveral(type)
				? "but names one lock: only the whole 'key' of an exclusive lock may be several values"
				: whyRefused(type);
		return (reason != null) ? "is a %s, %s".formatted(type.getTypeName(), reason) : null;
	}

	private static @Nullable String whyRefused(Class<?> type) {
		String reason = switch (type.getName()) {
			case "java.util.Map", "java.util.Iterator" ->
				"which is neither one value nor a collection of values: for a map, write '.keySet()'";
			case "java.util.Optional", "java.util.OptionalInt", "java.util.OptionalLong", "java.util.OptionalDouble",
					"java.util.concurrent.Future", "java.util.concurrent.CompletionStage",
					"java.util.concurrent.Flow$Publisher", "org.reactivestreams.Publisher", "kotlinx.coroutines.Job" ->
				"which may have no value: unwrap it, for example with '.get()'";
			case "java.util.Date", "java.util.Calendar" ->
				"whose text depends on the time zone: use '.time' of a date or '.timeInMillis' of a calendar";
			case "org.springframework.messaging.Message" -> "whose text has a random id: use '.payload', or a header";
			case "java.security.Principal" -> "whose text may name its session: use '.name'";
			case "java.util.Map$Entry", "java.util.concurrent.atomic.AtomicReference", "io.netty.buffer.ByteBuf",
					"java.util.TimeZone", "java.net.InetAddress", "java.net.InetSocketAddress", "java.nio.ByteBuffer" ->
				"whose text is not its value: use a property of it";
			default -> null;
		};
		return (reason != null) ? reason
				: Stream.concat(Stream.ofNullable(type.getSuperclass()), Arrays.stream(type.getInterfaces()))
					.map(KeyRules::whyRefused)
					.filter(Objects::nonNull)
					.findFirst()
					.orElse(null);
	}

	/**
	 * Return the text of a key, or the text of each of its elements.
	 * @return at least one text
	 * @throws IllegalArgumentException with the reason, if the value cannot be a key
	 */
	public static List<String> texts(@Nullable Object key) {
		if (key == null || !areSeveral(key.getClass())) {
			return List.of(text(key));
		}
		List<String> texts = new ArrayList<>();
		// Close the stream, because it may keep a resource open.
		try (BaseStream<?, ?> stream = stream(key)) {
			Iterator<? extends @Nullable Object> elements = stream.iterator();
			while (elements.hasNext() && texts.size() <= MOST_ELEMENTS) {
				texts.add(text(elements.next()));
			}
		}
		catch (RuntimeException ex) {
			throw new IllegalArgumentException("at index %s %s".formatted(texts.size(), reason(ex)), ex);
		}
		require(texts.isEmpty() ? "has no elements, so nothing would be locked: check that first" : null);
		require((texts.size() > MOST_ELEMENTS) ? "has more than %s elements".formatted(MOST_ELEMENTS) : null);
		return texts;
	}

	private static BaseStream<?, ?> stream(Object values) {
		if (values instanceof BaseStream<?, ?> stream) {
			return stream;
		}
		if (values instanceof Iterable<?> iterable) {
			return StreamSupport.stream(iterable.spliterator(), false);
		}
		return IntStream.range(0, Array.getLength(values)).mapToObj((index) -> Array.get(values, index));
	}

	/**
	 * Return the text of one key.
	 * @throws IllegalArgumentException with the reason, if the value cannot be one key
	 */
	public static String text(@Nullable Object value) {
		if (value == null) {
			throw new IllegalArgumentException("is null");
		}
		String text;
		if (value instanceof byte[] bytes) {
			text = HexFormat.of().formatHex(bytes);
		}
		else if (value instanceof Enum<?> constant) {
			text = constant.name();
		}
		else {
			text = (value instanceof Class<?> type) ? type.getName() : ownText(value);
		}
		require(text.isBlank() ? "is blank" : null);
		return text;
	}

	private static String ownText(Object value) {
		Class<?> type = value.getClass();
		for (Method method : COMPONENTS.get(type)) {
			try {
				Object component = method.invoke(value);
				if (method.getName().equals(UNBOX)) {
					return text(component);
				}
				for (Object part : (component instanceof List<?> list) ? list : Collections.singletonList(component)) {
					if (part != null) {
						ownText(part);
					}
				}
			}
			catch (ReflectiveOperationException | IllegalArgumentException ex) {
				throw new IllegalArgumentException(
						"is a %s, whose '%s' %s".formatted(type.getTypeName(), method.getName(), reason(ex)), ex);
			}
		}
		String text = Objects.requireNonNullElse(value.toString(), "");
		require(text.startsWith(type.getName() + '@')
				? "is a %s, whose text %s it".formatted(type.getTypeName(), HASHED) : null);
		return text;
	}

	/**
	 * Refuse the name of a lock with the text of an object without its own
	 * {@code toString()}, for example from a concatenation.
	 * @throws IllegalArgumentException with a message that gives the reason
	 */
	public static void requireStable(String name) {
		// Most names contain no '@', and need no matcher.
		require((name.indexOf('@') >= 0 && HASH.matcher(name).find())
				? "lock name '%s' %s the object".formatted(name, HASHED) : null);
	}

	private static @Nullable String reason(Exception ex) {
		return (ex instanceof IllegalArgumentException) ? ex.getMessage() : "failed: " + ex;
	}

	private static void require(@Nullable String reason) {
		if (reason != null) {
			throw new IllegalArgumentException(reason);
		}
	}

}
