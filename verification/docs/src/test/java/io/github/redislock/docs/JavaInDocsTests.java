package io.github.redislock.docs;

import java.io.IOException;
import java.lang.reflect.Modifier;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.github.redislock.LockFence;
import io.github.redislock.LockOperations;
import io.github.redislock.annotation.DistributedLock;
import io.github.redislock.internal.annotation.DistributedLockRegistrar;
import io.github.redislock.internal.interceptor.check.LockedBeanChecker;
import io.github.redislock.internal.interceptor.declaration.InvalidLockedMethodException;
import io.github.redislock.testing.CodeBlock;
import io.github.redislock.testing.DocumentedCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.objenesis.ObjenesisStd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Each block of Java code in the documentation either occurs unchanged in a test, or is
 * compiled here. The locked methods that are compiled here pass the checks at startup.
 */
class JavaInDocsTests {

	private static final List<String> TESTED = List.of("lock-adapters", "lock-core", "lock-spring-boot-autoconfigure",
			"lock-test");

	@TempDir
	private Path classes;

	@Test
	void everyBlockIsCompiled() throws IOException {
		List<CodeBlock> blocks = blocksOfPagesOnly();

		DocsCompiler compiler = DocsCompiler.compile(blocks, this.classes);

		assertThat(blocks).hasSizeGreaterThan(20);
		assertThat(compiler.errors()).isEmpty();
		compiler.load().forEach(JavaInDocsTests::checkLockedMethods);
	}

	@Test
	void codeThatDoesNotCompileIsReported() throws IOException {
		DocsCompiler compiler = DocsCompiler.compile(
				List.of(block("locks.acquireSoon(\"a\");"),
						block("try (LockHandle lock = locks.acquire(LockTarget.of(\"a\"))) {\n\tlock.renew();\n}")),
				this.classes);

		assertThat(compiler.errors()).singleElement().asString().startsWith("page.md:7, ").contains("acquireSoon");
	}

	@Test
	void codeThatWouldNotStartIsReported() throws IOException {
		List<Class<?>> types = DocsCompiler
			.compile(List.of(block("@DistributedLock(key = \"#id\")\nvoid pay(String order) { … }")), this.classes)
			.load();

		assertThatExceptionOfType(InvalidLockedMethodException.class)
			.isThrownBy(() -> types.forEach(JavaInDocsTests::checkLockedMethods))
			.withMessageContaining("'#id', which does not exist");
	}

	private static CodeBlock block(String text) {
		return new CodeBlock(Path.of("page.md"), 7, "java", text);
	}

	/**
	 * Return the blocks that do not occur in tests.
	 */
	private static List<CodeBlock> blocksOfPagesOnly() throws IOException {
		Map<String, CodeBlock> blocks = new LinkedHashMap<>();
		// A translation contains the same code.
		Pages.blocks("java").forEach((block) -> blocks.putIfAbsent(block.text(), block));
		DocumentedCode code = DocumentedCode.of(List.copyOf(blocks.values()));
		for (String module : TESTED) {
			code = code.without(Pages.PROJECT.resolve(module).resolve("src/test/java"));
		}
		return code.blocks();
	}

	private static void checkLockedMethods(Class<?> type) {
		if (!AnnotationUtils.isCandidateClass(type, DistributedLock.class) || type.isInterface()
				|| Modifier.isAbstract(type.getModifiers())) {
			return;
		}
		DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
		beans.registerSingleton("limits", new Surroundings.Limits(10));
		beans.registerBeanDefinition("reportLocks", new RootBeanDefinition(LockOperations.class));
		beans.registerBeanDefinition("orders", new RootBeanDefinition(LockFence.class));
		DistributedLockRegistrar.register(beans, 0, true);
		beans.getBean(LockedBeanChecker.class).postProcessAfterInstantiation(new ObjenesisStd().newInstance(type), "x");
	}

}
