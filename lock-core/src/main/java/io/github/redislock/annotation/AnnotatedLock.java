package io.github.redislock.annotation;

import java.lang.reflect.Method;

import io.github.redislock.OnLost;
import io.github.redislock.interceptor.declaration.LockDefinition;
import org.jspecify.annotations.Nullable;

/**
 * A lock that an annotation declares.
 *
 * @param declaredOn the annotated method, or one of an annotated type
 * @param declaredOnType the annotated type, or {@code null} if it is the method
 * @param annotation the annotation, with the attributes of its meta-annotations
 */
record AnnotatedLock(Method declaredOn, @Nullable Class<?> declaredOnType,
		DistributedLock annotation) implements LockDefinition {

	@Override
	public String name() {
		return this.annotation.name();
	}

	@Override
	public String key() {
		return this.annotation.key();
	}

	@Override
	public String metricName() {
		return this.annotation.metricName();
	}

	@Override
	public boolean isReading() {
		return this.annotation.mode() == LockMode.READ;
	}

	@Override
	public int permits() {
		return this.annotation.permits();
	}

	@Override
	public String permitsString() {
		return this.annotation.permitsString();
	}

	@Override
	public String timeout() {
		return this.annotation.timeout();
	}

	@Override
	public int retry() {
		return this.annotation.retry();
	}

	@Override
	public String retryDelay() {
		return this.annotation.retryDelay();
	}

	@Override
	public String waitTime() {
		return this.annotation.waitTime();
	}

	@Override
	public boolean autoRenew() {
		return this.annotation.autoRenew();
	}

	@Override
	public String maxHold() {
		return this.annotation.maxHold();
	}

	@Override
	public String atLeastFor() {
		return this.annotation.atLeastFor();
	}

	@Override
	public OnLost onLost() {
		return this.annotation.onLost();
	}

	@Override
	public boolean skipIfLocked() {
		return this.annotation.ifLocked() == IfLocked.SKIP;
	}

	@Override
	public String fallback() {
		return this.annotation.fallback();
	}

	@Override
	public String template() {
		return this.annotation.template();
	}

}
