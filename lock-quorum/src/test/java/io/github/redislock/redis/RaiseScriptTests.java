package io.github.redislock.redis;

import java.util.List;

import io.github.redislock.redis.client.LuaScript;
import io.github.redislock.redis.client.Script.Turn;
import io.github.redislock.redis.quorum.QuorumLockStore;

/**
 * The script of a quorum.
 */
class RaiseScriptTests extends LuaScriptContract {

	static final LuaScript RAISE = LuaScript.read(QuorumLockStore.class, "raise", false, Turn.AT_ONCE);

	@Override
	List<LuaScript> scripts() {
		return List.of(RAISE);
	}

	@Override
	Class<?> folder() {
		return QuorumLockStore.class;
	}

}
