package io.github.redislock.testing;

import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;

/**
 * Gives tests the {@link TestRedis#shared() shared Redis} as a parameter, empty before
 * each.
 */
public final class RedisServerExtension implements BeforeEachCallback, ParameterResolver {

	@Override
	public void beforeEach(ExtensionContext context) {
		TestRedis.shared().reset();
	}

	@Override
	public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
		return parameter.getParameter().getType() == TestRedis.class;
	}

	@Override
	public TestRedis resolveParameter(ParameterContext parameter, ExtensionContext context) {
		return TestRedis.shared();
	}

}
