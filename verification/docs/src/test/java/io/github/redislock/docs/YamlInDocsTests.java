package io.github.redislock.docs;

import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;

import io.github.redislock.autoconfigure.RedisLockAutoConfiguration;
import io.github.redislock.autoconfigure.RedisLockStoreAutoConfiguration;
import io.github.redislock.testing.CodeBlock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.data.redis.autoconfigure.DataRedisProperties;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * YAML in the documentation can be parsed, and its properties of Redis and locks exist.
 *
 * @see DeploymentsPageTests
 */
class YamlInDocsTests {

	@ParameterizedTest
	@MethodSource("blocks")
	void propertiesAreKnownAndInRange(YamlInDocs yaml) throws IOException {
		BindHandler strict = new NoUnboundElementsBindHandler(BindHandler.DEFAULT);
		Binder binder = Binder.get(yaml.environment());

		assertThat(yaml.names()).isNotEmpty();
		binder.bindOrCreate("redis-lock", Bindable.of(YamlInDocs.PROPERTIES), strict);
		binder.bindOrCreate("spring.data.redis", Bindable.of(DataRedisProperties.class), strict);
		new ApplicationContextRunner()
			.withConfiguration(
					AutoConfigurations.of(RedisLockAutoConfiguration.class, RedisLockStoreAutoConfiguration.class))
			.withPropertyValues(yaml.pairs())
			.withPropertyValues("redis-lock.store=in-memory")
			.run((context) -> assertThat(context).hasNotFailed());
	}

	static Stream<YamlInDocs> blocks() throws IOException {
		List<CodeBlock> blocks = Pages.blocks("yaml");
		return blocks.stream().map((block) -> new YamlInDocs(block.toString(), block.text()));
	}

}
