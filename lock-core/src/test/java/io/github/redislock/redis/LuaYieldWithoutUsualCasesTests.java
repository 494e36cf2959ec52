package io.github.redislock.redis;

/**
 * {@link LuaYieldTests}, with the usual cases handled like all others.
 */
class LuaYieldWithoutUsualCasesTests extends LuaYieldTests {

	@Override
	LuaScripts scripts() {
		return LuaScripts.withoutUsualCases();
	}

}
