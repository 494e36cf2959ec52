package io.github.redislock.samples.quickstart.ratelimit;

import java.time.Instant;
import java.util.List;

import io.github.redislock.annotation.DistributedLock;

import org.springframework.stereotype.Service;

/**
 * Lets each user call once per window. This is enough to prevent double clicks. For "100
 * calls per minute", use a token bucket.
 */
@Service
class RateLimitedApi {

	private final ApiCallRepository calls;

	RateLimitedApi(ApiCallRepository calls) {
		this.calls = calls;
	}

	@DistributedLock(name = "rate-limit", key = "#userId", retry = 0, atLeastFor = "${quickstart.rate-limit.window}")
	public ApiCall call(String userId) {
		return this.calls.save(new ApiCall(null, userId, Instant.now()));
	}

	List<ApiCall> calls(String userId) {
		return this.calls.findByUserId(userId);
	}

}
