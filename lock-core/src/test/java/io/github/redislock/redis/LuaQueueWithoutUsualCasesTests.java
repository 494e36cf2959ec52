package io.github.redislock.redis;

/**
 * {@link LuaQueueTests}, with the usual cases handled like all others.
 */
class LuaQueueWithoutUsualCasesTests extends LuaQueueTests {

	@Override
	LuaScripts scripts() {
		return LuaScripts.withoutUsualCases();
	}

}
