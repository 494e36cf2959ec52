package io.github.redislock.redis;

/**
 * {@link LuaScriptTests}, with the usual cases handled like all others.
 */
class LuaScriptWithoutUsualCasesTests extends LuaScriptTests {

	@Override
	LuaScripts scripts() {
		return LuaScripts.withoutUsualCases();
	}

}
