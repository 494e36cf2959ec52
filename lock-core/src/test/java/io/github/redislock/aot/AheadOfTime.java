package io.github.redislock.aot;

import java.util.function.Consumer;

import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.test.generate.TestGenerationContext;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.annotation.AnnotatedBeanDefinitionReader;
import org.springframework.context.aot.ApplicationContextAotGenerator;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.test.tools.TestCompiler;

/**
 * Generates the code of an application context, compiles it, and starts the context, as
 * is done for a native image.
 */
final class AheadOfTime {

	private AheadOfTime() {
	}

	/**
	 * Return the hints that an application's native image gets.
	 * @param configuration the application
	 */
	static RuntimeHints hints(Class<?> configuration) {
		return generate(configuration).getRuntimeHints();
	}

	/**
	 * Start an application with its generated code, and use it.
	 * @param configuration the application
	 * @param use is given the context
	 */
	static void start(Class<?> configuration, Consumer<GenericApplicationContext> use) {
		TestCompiler.forSystem().with(generate(configuration)).compile((compiled) -> {
			try (GenericApplicationContext context = new GenericApplicationContext()) {
				initializer(compiled.getInstance(ApplicationContextInitializer.class)).accept(context);
				context.refresh();
				use.accept(context);
			}
		});
	}

	private static TestGenerationContext generate(Class<?> configuration) {
		TestGenerationContext generated = new TestGenerationContext();
		GenericApplicationContext original = new GenericApplicationContext();
		new AnnotatedBeanDefinitionReader(original).registerBean(configuration);
		new ApplicationContextAotGenerator().processAheadOfTime(original, generated);
		generated.writeGeneratedContent();
		return generated;
	}

	@SuppressWarnings("unchecked")
	private static Consumer<GenericApplicationContext> initializer(ApplicationContextInitializer<?> initializer) {
		return ((ApplicationContextInitializer<GenericApplicationContext>) initializer)::initialize;
	}

}
