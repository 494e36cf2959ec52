package io.github.redislock.autoconfigure;

import java.lang.reflect.RecordComponent;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.annotation.ReflectiveRuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The hints of a native image for the endpoint's response bodies.
 */
class LocksEndpointHintsTests {

	@ParameterizedTest
	@MethodSource("bodies")
	void responseBodyHasReflectionHints(Class<?> body) {
		RuntimeHints hints = new RuntimeHints();

		new ReflectiveRuntimeHintsRegistrar().registerRuntimeHints(hints, LocksEndpoint.class,
				LocksEndpointWebExtension.class);

		assertThat(RuntimeHintsPredicates.reflection().onType(body)).accepts(hints);
		if (body.isRecord()) {
			assertThat(body.getRecordComponents()).extracting(RecordComponent::getAccessor)
				.allSatisfy((accessor) -> assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(accessor))
					.accepts(hints));
		}
	}

	static Class<?>[] bodies() {
		return LockDescriptors.class.getDeclaredClasses();
	}

}
