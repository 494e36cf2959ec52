package io.github.redislock.samples.quickstart.redis;

import java.util.Collections;
import java.util.Map;
import java.util.Set;

import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Matches if no property says where Redis is.
 */
class OnNoRedisConfigured implements Condition {

	private static final Set<String> WHERE = Set.of("host", "port", "url", "sentinel", "cluster", "masterreplica");

	@Override
	public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
		Map<String, Object> configured = Binder.get(context.getEnvironment())
			.bind("spring.data.redis", Bindable.mapOf(String.class, Object.class))
			.orElse(Map.of());
		return Collections.disjoint(configured.keySet(), WHERE);
	}

}
