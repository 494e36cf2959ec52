package io.github.redislock.autoconfigure;

import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.charset.StandardCharsets;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.core.io.ClassPathResource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The hints of a native image for the endpoint's operations and response bodies.
 */
class LocksEndpointHintsTests {

	@ParameterizedTest
	@MethodSource("bodies")
	void responseBodyHasReflectionHints(Class<?> body) {
		RuntimeHints hints = hints();

		assertThat(RuntimeHintsPredicates.reflection().onType(body)).accepts(hints);
		if (body.isRecord()) {
			assertThat(body.getRecordComponents()).extracting(RecordComponent::getAccessor)
				.allSatisfy((accessor) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(accessor))
					.accepts(hints));
		}
	}

	@Test
	void operationsHaveReflectionHints() {
		RuntimeHints hints = hints();

		assertThat(LocksEndpoint.class.getDeclaredMethods())
			.filteredOn((method) -> method.isAnnotationPresent(ReadOperation.class)
					|| method.isAnnotationPresent(DeleteOperation.class))
			.hasSize(4)
			.allSatisfy((operation) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(operation))
				.accepts(hints));
	}

	@Test
	void metadataOfTheCoreIsReadable() throws IOException {
		String json = new ClassPathResource(
				"META-INF/native-image/io.github.redislock/lock-core/reachability-metadata.json")
			.getContentAsString(StandardCharsets.UTF_8);

		assertThat(JsonParserFactory.getJsonParser().parseMap(json)).containsOnlyKeys("comment", "resources",
				"reflection");
	}

	private static RuntimeHints hints() {
		RuntimeHints hints = new RuntimeHints();
		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class);
		return hints;
	}

	static Class<?>[] bodies() {
		return LockDescriptors.class.getDeclaredClasses();
	}

}
