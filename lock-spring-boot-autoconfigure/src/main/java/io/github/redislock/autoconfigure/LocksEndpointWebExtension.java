package io.github.redislock.autoconfigure;

import java.util.Map;
import java.util.function.Supplier;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockStoreException;
import io.github.redislock.autoconfigure.LockDescriptors.ForcedRelease;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/**
 * {@link EndpointWebExtension} that gives the answers of the {@link LocksEndpoint} their
 * HTTP status.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointWebExtension {

	private static final int CONFLICT = 409;

	private final LocksEndpoint endpoint;

	LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Return what this instance holds and waits for, or what the store knows of one lock.
	 * @param name as of {@link LocksEndpoint#locks}
	 * @return 200, 404 if the one lock is free, 503 if the store does not answer
	 */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Nullable String name) {
		return answer(() -> found(this.endpoint.locks(name)));
	}

	/**
	 * Return what the store knows of a lock.
	 * @param name as of {@link LocksEndpoint#lock}
	 * @return 200, 404 if it is free, 503 if the store does not answer
	 */
	@ReadOperation
	public WebEndpointResponse<Object> lock(@Selector(match = Match.ALL_REMAINING) String... name) {
		return answer(() -> found(this.endpoint.lock(name)));
	}

	/**
	 * Take a lock from its holder.
	 * @param security who asks
	 * @param owner as of {@link LocksEndpoint#forceRelease}
	 * @param fencingToken as of {@link LocksEndpoint#forceRelease}
	 * @param name as of {@link LocksEndpoint#forceRelease}
	 * @return 200 if it was released, 404 if it was free, 409 if somebody else holds it,
	 * 503 if the store does not answer
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceRelease(SecurityContext security, @Nullable String owner,
			@Nullable Long fencingToken, @Selector(match = Match.ALL_REMAINING) String... name) {
		return answer(() -> done(this.endpoint.forceRelease(security, owner, fencingToken, name)));
	}

	/**
	 * Take a lock from its holder whose name a path cannot carry.
	 * @param security who asks
	 * @param name as of {@link LocksEndpoint#forceReleaseByName}
	 * @param owner as of {@link LocksEndpoint#forceReleaseByName}
	 * @param fencingToken as of {@link LocksEndpoint#forceReleaseByName}
	 * @return as of {@link #forceRelease}
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceReleaseByName(SecurityContext security, String name, @Nullable String owner,
			@Nullable Long fencingToken) {
		return answer(() -> done(this.endpoint.forceReleaseByName(security, name, owner, fencingToken)));
	}

	private static WebEndpointResponse<Object> found(@Nullable Object body) {
		return (body != null) ? new WebEndpointResponse<>(body)
				: new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND);
	}

	private static WebEndpointResponse<Object> done(ForcedRelease release) {
		return new WebEndpointResponse<>(release, switch (release.outcome()) {
			case RELEASED -> WebEndpointResponse.STATUS_OK;
			case FREE -> WebEndpointResponse.STATUS_NOT_FOUND;
			case HELD_BY_ANOTHER -> CONFLICT;
		});
	}

	private static WebEndpointResponse<Object> answer(Supplier<WebEndpointResponse<Object>> question) {
		try {
			return question.get();
		}
		catch (LockStoreException ex) {
			return failed(ex, WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
		catch (LockKeyConflictException ex) {
			return failed(ex, CONFLICT);
		}
	}

	private static WebEndpointResponse<Object> failed(RuntimeException failure, int status) {
		return new WebEndpointResponse<>(Map.of("error", String.valueOf(failure.getMessage())), status);
	}

}
