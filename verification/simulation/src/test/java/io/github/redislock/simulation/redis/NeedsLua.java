package io.github.redislock.simulation.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import io.github.redislock.testing.Requirements;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Skips tests with a reason if there is no native Lua.
 */
@Target(ElementType.TYPE)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(NeedsLua.Condition.class)
public @interface NeedsLua {

	/**
	 * Tries to load Lua.
	 */
	final class Condition implements BeforeAllCallback {

		@Override
		public void beforeAll(ExtensionContext context) {
			Requirements.need(isThere(), context.getDisplayName(), "lua51-platform has no Lua for this machine");
		}

		private static boolean isThere() {
			try (LuaScripts lua = new LuaScripts()) {
				return true;
			}
			catch (RuntimeException | LinkageError ex) {
				return false;
			}
		}

	}

}
