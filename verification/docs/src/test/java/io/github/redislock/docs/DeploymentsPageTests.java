package io.github.redislock.docs;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockStoreAutoConfiguration;
import io.github.redislock.redis.RedisLockTemplate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The {@code application.yml} in {@code docs/deployments.md} and its compose files has
 * only known properties. An application starts with it, unless it names files.
 */
class DeploymentsPageTests {

	private static final Pattern PORTS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)(?:-(\\d+))?:");

	private static final Pattern ADDRESS = Pattern.compile("127\\.0\\.0\\.1:(\\d+)");

	private final BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT);

	@ParameterizedTest
	@MethodSource("pieces")
	void everyPropertyIsKnown(YamlInDocs yaml) throws IOException {
		Binder binder = Binder.get(yaml.environment());

		assertThat(yaml.names()).isNotEmpty()
			.allMatch((name) -> name.startsWith("redis-lock.") || name.startsWith("spring.data.redis.")
					|| name.startsWith("spring.ssl."));
		binder.bindOrCreate("redis-lock", Bindable.of(YamlInDocs.PROPERTIES), this.strict);
		binder.bindOrCreate("spring.data.redis", Bindable.of(DataRedisProperties.class), this.strict);
		binder.bindOrCreate("spring.ssl", Bindable.of(SslProperties.class), this.strict);
	}

	@ParameterizedTest
	@MethodSource("piecesWithoutFiles")
	void applicationStarts(YamlInDocs yaml) throws IOException {
		new ApplicationContextRunner()
			.withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class, DataRedisAutoConfiguration.class,
					RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class))
			.withPropertyValues(yaml.pairs())
			.withPropertyValues("redis-lock.checks=off")
			.run((context) -> assertThat(context).hasNotFailed().hasSingleBean(RedisLockTemplate.class));
	}

	@ParameterizedTest
	@MethodSource("composeFiles")
	void portsInTheHeaderArePublished(Path file) throws IOException {
		String compose = Files.readString(file);
		List<Integer> published = PORTS.matcher(compose).results().flatMap(DeploymentsPageTests::range).toList();

		assertThat(ADDRESS.matcher(YamlInDocs.headOf(file).text()).results())
			.extracting((address) -> Integer.valueOf(address.group(1)))
			.hasSizeGreaterThanOrEqualTo(3)
			.isSubsetOf(published);
	}

	@Test
	void pageHasAtLeastFiveExamplesAndThreeComposeFiles() throws IOException {
		assertThat(YamlInDocs.blocksOf(Pages.DOCS.resolve("deployments.md"))).hasSizeGreaterThanOrEqualTo(5);
		assertThat(composeFiles()).hasSize(3);
	}

	static Stream<YamlInDocs> pieces() throws IOException {
		List<YamlInDocs> blocks = YamlInDocs.blocksOf(Pages.DOCS.resolve("deployments.md"));
		Stream<YamlInDocs> heads = composeFiles().map((file) -> {
			try {
				return YamlInDocs.headOf(file);
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		});
		return Stream.concat(blocks.stream(), heads);
	}

	/**
	 * Return the pieces that name no files, because the tests have no certificates.
	 */
	static Stream<YamlInDocs> piecesWithoutFiles() throws IOException {
		return pieces().filter((yaml) -> !yaml.text().contains("file:"));
	}

	static Stream<Path> composeFiles() throws IOException {
		try (Stream<Path> files = Files.walk(Pages.DOCS.resolve("deployments"))) {
			return files.filter((file) -> file.endsWith("compose.yaml")).sorted().toList().stream();
		}
	}

	private static Stream<Integer> range(MatchResult ports) {
		int first = Integer.parseInt(ports.group(1));
		int last = (ports.group(2) != null) ? Integer.parseInt(ports.group(2)) : first;
		return IntStream.rangeClosed(first, last).boxed();
	}

}
