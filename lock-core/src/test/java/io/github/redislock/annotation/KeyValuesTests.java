package io.github.redislock.annotation;

import java.io.File;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.Principal;
import java.sql.Timestamp;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.AbstractMap.SimpleEntry;
import java.util.Arrays;
import java.util.Collections;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TimeZone;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.InvalidLockNameException;
import io.github.redislock.LockConfiguration;
import io.github.redislock.LockContext;
import io.github.redislock.LockTarget;
import io.github.redislock.internal.engine.LockTemplate;
import io.github.redislock.memory.InMemoryLockStore;
import io.github.redislock.reactive.ReactiveLockTemplate;
import kotlin.Metadata;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ReflectionUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.params.provider.Arguments.arguments;

/**
 * All APIs accept the same keys, and the same key is the same lock for each of them.
 */
class KeyValuesTests {

	private static final UUID ID = UUID.randomUUID();

	private static final Date DATE = new Date(0);

	private static AnnotationConfigApplicationContext context;

	private final LockTemplate locks = context.getBean(LockTemplate.class);

	private final Methods methods = context.getBean(Methods.class);

	@BeforeAll
	static void start() {
		context = new AnnotationConfigApplicationContext(Application.class);
	}

	@AfterAll
	static void close() {
		context.close();
	}

	@ParameterizedTest
	@MethodSource
	void oneValueIsOneLockForEachApi(Object key, String text) {
		String name = "k:" + text;

		assertThat(faces(() -> key)).allSatisfy((face) -> assertThat(face.get()).isEqualTo(name));
		assertThat(this.methods.inName(key)).isEqualTo(name);
		assertThat(this.methods.inText(key)).isEqualTo(name);
		this.locks.execute(LockTarget.of("k", key),
				() -> assertThatCode(() -> LockContext.requireHeld("k", key)).doesNotThrowAnyException());
	}

	static Stream<Arguments> oneValueIsOneLockForEachApi() {
		return Stream.of(arguments("a b", "a b"), arguments(new StringBuilder("a"), "a"), arguments('a', "a"),
				arguments(7L, "7"), arguments(1.5, "1.5"), arguments(true, "true"), arguments(ID, ID.toString()),
				arguments(DayOfWeek.MONDAY, "MONDAY"), arguments(Region.EUROPE, "EUROPE"),
				arguments(LocalDate.of(2026, 1, 31), "2026-01-31"),
				arguments(ZoneId.of("Europe/Berlin"), "Europe/Berlin"), arguments(Locale.GERMANY, "de_DE"),
				arguments(Path.of("a", "b"), "a" + File.separator + "b"), arguments(URI.create("a/b"), "a/b"),
				arguments(String.class, "java.lang.String"), arguments(new byte[] { 0, -1, 16 }, "00ff10"),
				arguments(new Pair<>("a", 1), "Pair[left=a, right=1]"),
				arguments(new Pair<>(null, new Pair<>("a", Region.EUROPE)),
						"Pair[left=null, right=Pair[left=a, right=eu]]"),
				arguments(new Pair<>("a", List.of(1, 2)), "Pair[left=a, right=[1, 2]]"),
				arguments(new Named("a"), "named a"), arguments(new Numbered(), "numbered"),
				arguments(unsigned(-1), "-1"));
	}

	@ParameterizedTest
	@MethodSource
	void severalValuesAreSeveralLocksForEachApi(Supplier<Object> keys, String names) {
		assertThat(faces(keys)).allSatisfy((face) -> assertThat(face.get()).isEqualTo(names));
		assertThat(LockTarget.of("k", keys.get()).metricName()).isEqualTo("k");
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.methods.inName(keys.get()))
			.withMessageContaining("but names one lock: only the whole 'key' of an exclusive lock may be");
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.methods.inText(keys.get()))
			.withMessageContaining("but names one lock: only the whole 'key' of an exclusive lock may be");
	}

	static Stream<Arguments> severalValuesAreSeveralLocksForEachApi() {
		return Stream.of(severalValues(() -> List.of("b", "a", "b"), "k:a + k:b"),
				severalValues(() -> new LinkedHashSet<>(List.of(2, 1)), "k:1 + k:2"),
				severalValues(() -> new String[] { "b", "a:c" }, "k:a%3Ac + k:b"),
				severalValues(() -> new Object[] { 1, "a" }, "k:1 + k:a"),
				severalValues(() -> new int[] { 2, 1 }, "k:1 + k:2"), severalValues(() -> new long[] { 7 }, "k:7"),
				severalValues(() -> new byte[][] { { 1 }, { 2 } }, "k:01 + k:02"),
				severalValues(() -> Stream.of("a", "b"), "k:a + k:b"),
				severalValues(() -> IntStream.of(1, 2), "k:1 + k:2"));
	}

	@ParameterizedTest
	@MethodSource
	void valueWhoseTextMayDifferBetweenProcessesIsRefusedByEachApi(Supplier<Object> key, String reason) {
		assertThat(faces(key)).allSatisfy(
				(face) -> assertThatIllegalArgumentException().isThrownBy(face::get).withMessageContaining(reason));
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.methods.inName(key.get()))
			.withMessageContaining(reason);
		assertThatExceptionOfType(InvalidLockNameException.class).isThrownBy(() -> this.methods.inText(key.get()))
			.withMessageContaining(reason);
		assertThatIllegalArgumentException().isThrownBy(() -> LockContext.requireHeld("k", key.get()));
		assertThat(this.locks.local().held()).isEmpty();
	}

	static Stream<Arguments> valueWhoseTextMayDifferBetweenProcessesIsRefusedByEachApi() {
		String hash = "has a hash code that differs between processes: use a property of";
		String zone = "whose text depends on the time zone: use '.time'";
		String empty = "which may have no value: unwrap it";
		return Stream.of(refused(Object::new, "is a java.lang.Object, whose text " + hash),
				refused(() -> (Runnable) () -> {
				}, hash), refused(() -> new Pair<>("a", new Object()), "Pair, whose 'right' is a java.lang.Object"),
				refused(() -> new Pair<>("a", new byte[1]), "Pair, whose 'right' is a byte[], whose text " + hash),
				refused(() -> new Pair<>("a", new Pair<>(new int[1], "b")),
						"Pair, whose 'right' is a " + Pair.class.getName()
								+ ", whose 'left' is a int[], but names one"),
				refused(() -> new Pair<>("a", List.of(DATE)), "whose 'right' is a java.util.Date, " + zone),
				refused(() -> (Principal) () -> "ann", "whose text may name its session: use '.name'"),
				refused(() -> new Pair<>("a", Set.of(1, 2)), "whose 'right' is a java.util.ImmutableCollections$"),
				refused(() -> new Pair<>("a", DATE), "whose 'right' is a java.util.Date, " + zone),
				refused(() -> new Pair<>("a", Optional.of(1)), "whose 'right' is a java.util.Optional"),
				refused(() -> new DataClass("a", DATE), "whose 'component2' is a java.util.Date, " + zone),
				refused(() -> new SimpleEntry<>("a", 1), "whose text is not its value"),
				refused(() -> new AtomicReference<>("a"), "whose text is not its value"),
				refused(() -> new Named(new Object()), hash), refused(() -> DATE, "is a java.util.Date, " + zone),
				refused(() -> new Timestamp(0), "is a java.sql.Timestamp, " + zone),
				refused(() -> new java.sql.Date(0), zone), refused(() -> new java.sql.Time(0), zone),
				refused(GregorianCalendar::new, "'.timeInMillis' of a calendar"),
				refused(TimeZone::getDefault, "whose text is not its value"),
				refused(InetAddress::getLoopbackAddress, "whose text is not its value"),
				refused(() -> InetSocketAddress.createUnresolved("a", 1), "whose text is not its value"),
				refused(() -> ByteBuffer.allocate(1), "whose text is not its value"),
				refused(() -> Optional.of(1), "is a java.util.Optional, " + empty),
				refused(() -> OptionalInt.of(1), empty), refused(() -> CompletableFuture.completedFuture("a"), empty),
				refused(() -> new FutureTask<>(() -> "a"), empty), refused(() -> Mono.just("a"), empty),
				refused(() -> Flux.just("a"), empty), refused(() -> Map.of(1, 2), "for a map, write '.keySet()'"),
				refused(() -> List.of(1).iterator(), "is neither one value nor a collection"),
				refused(() -> Collections.enumeration(List.of(1)), hash));
	}

	@ParameterizedTest
	@MethodSource
	void unusableElementIsRefusedWithItsIndex(Supplier<Object> keys, String reason) {
		assertThat(faces(keys)).allSatisfy(
				(face) -> assertThatIllegalArgumentException().isThrownBy(face::get).withMessageContaining(reason));
	}

	static Stream<Arguments> unusableElementIsRefusedWithItsIndex() {
		return Stream.of(refused(() -> Arrays.asList("a", null), "at index 1 is null"),
				refused(() -> new String[] { " " }, "at index 0 is blank"),
				refused(() -> List.of(List.of("a")),
						"at index 0 is a java.util.ImmutableCollections$List12, but names"),
				refused(() -> new Object[] { 1, new Date[0] }, "at index 1 is a java.util.Date[], but names one lock"),
				refused(() -> Set.of(DATE), "at index 0 is a java.util.Date, whose text depends on the time zone"),
				refused(() -> new String[0], "has no elements, so nothing would be locked"),
				refused(() -> new byte[0], "is blank"),
				refused(() -> Stream.generate(() -> "a"), "has more than 10000 elements"));
	}

	@Test
	void tenThousandElementsAreAllowed() {
		assertThat(LockTarget.of("k", Collections.nCopies(10_000, "a")).names()).containsExactly("k:a");
	}

	@Test
	void concatenatedTextWithAHashCodeIsRefused() {
		Object order = new Object();

		assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("order-" + order))
			.withMessageContaining("lock name 'order-java.lang.Object@")
			.withMessageContaining("has a hash code that differs between processes: use a property of the object");
		for (Object part : List.of(new int[0], new String[0][0], (Runnable) () -> {
		}, new Named(this), "jdk.proxy2.$Proxy33@5a4c77fa")) {
			assertThat(List.of("-pay", "_7", ".7", "-1.5", "")).allSatisfy(
					(end) -> assertThatIllegalArgumentException().isThrownBy(() -> LockTarget.of("k", part + end))
						.withMessageContaining("has a hash code"));
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "Ann.Lee@decade.org", "Ann.Lee@facade-x.com", "ann@12345678", "deploy@db1.local",
			"com.acme.Order@next", "me@localhost", "[Draft]@12345", "Order@5a4c77fa" })
	void textWithAnAtSignThatIsNoHashCodeIsAKey(String text) {
		assertThat(LockTarget.of("k", text).name()).isEqualTo("k:" + text);
	}

	/**
	 * Return each API that takes a key, as the names of the locks that it holds for the
	 * key.
	 */
	private List<Supplier<String>> faces(Supplier<Object> key) {
		return List.of(() -> this.methods.blocking(key.get()), () -> get(this.methods.future(key.get())),
				() -> String.valueOf(this.methods.mono(key.get()).block(Duration.ofSeconds(20))),
				() -> this.locks.execute(LockTarget.of("k", key.get()), () -> held(this.locks)),
				() -> get(this.locks.async()
					.execute(LockTarget.of("k", key.get()), () -> CompletableFuture.completedFuture(held(this.locks)))),
				() -> String.valueOf(new ReactiveLockTemplate(this.locks)
					.execute(LockTarget.of("k", key.get()), Mono.fromCallable(() -> held(this.locks)))
					.block(Duration.ofSeconds(20))));
	}

	private static String get(CompletableFuture<String> future) {
		try {
			return future.get(20, TimeUnit.SECONDS);
		}
		catch (Exception ex) {
			ReflectionUtils.rethrowRuntimeException((ex.getCause() != null) ? ex.getCause() : ex);
			throw new AssertionError(ex);
		}
	}

	private static String held(LockTemplate locks) {
		return locks.local().held().get(0).target().name();
	}

	private static Arguments severalValues(Supplier<Object> keys, String names) {
		return arguments(keys, names);
	}

	private static Arguments refused(Supplier<Object> key, String reason) {
		return arguments(key, reason);
	}

	/**
	 * Return a value class of Kotlin, which an annotated method would receive as its
	 * content.
	 */
	private static Object unsigned(int content) {
		try {
			return Class.forName("kotlin.UInt").getMethod("box-impl", int.class).invoke(null, content);
		}
		catch (ReflectiveOperationException ex) {
			throw new AssertionError(ex);
		}
	}

	enum Region {

		EUROPE;

		@Override
		public String toString() {
			return "eu";
		}

	}

	record Pair<A, B>(A left, B right) {
	}

	/**
	 * Has a method with the name of a component, but is not from Kotlin.
	 */
	static class Numbered {

		public void component1() {
			throw new IllegalStateException("called");
		}

		@Override
		public String toString() {
			return "numbered";
		}

	}

	/**
	 * Looks like a data class of Kotlin.
	 */
	@Metadata
	static class DataClass {

		private final String id;

		private final Date date;

		DataClass(String id, Date date) {
			this.id = id;
			this.date = date;
		}

		public final String component1() {
			return this.id;
		}

		public final Date component2() {
			return this.date;
		}

		@Override
		public String toString() {
			return "DataClass(id=" + this.id + ", date=" + this.date + ")";
		}

	}

	static class Named {

		private final Object name;

		Named(Object name) {
			this.name = name;
		}

		@Override
		public String toString() {
			return "named " + this.name;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@EnableDistributedLocks
	static class Application {

		@Bean
		LockTemplate locks() {
			return new LockTemplate(new InMemoryLockStore(), LockConfiguration.defaults());
		}

		@Bean
		Methods methods(LockTemplate locks) {
			return new Methods(locks);
		}

	}

	static class Methods {

		private final LockTemplate locks;

		Methods(LockTemplate locks) {
			this.locks = locks;
		}

		@DistributedLock(name = "k", key = "#key")
		public String blocking(Object key) {
			return held(this.locks);
		}

		@DistributedLock(name = "k", key = "#key")
		public CompletableFuture<String> future(Object key) {
			return CompletableFuture.completedFuture(held(this.locks));
		}

		@DistributedLock(name = "k", key = "#key")
		public Mono<String> mono(Object key) {
			return Mono.fromCallable(() -> held(this.locks));
		}

		@DistributedLock("k:#{#key}")
		public String inName(Object key) {
			return held(this.locks);
		}

		@DistributedLock(name = "k", key = "'' + #key")
		public String inText(Object key) {
			return held(this.locks);
		}

	}

}
