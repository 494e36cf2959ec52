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
 * {@link EndpointWebExtension} that adds the HTTP status to the results of the
 * {@link LocksEndpoint}.
 */
@EndpointWebExtension(endpoint = LocksEndpoint.class)
public final class LocksEndpointWebExtension {

	private static final int CONFLICT = 409;

	private final LocksEndpoint endpoint;

	LocksEndpointWebExtension(LocksEndpoint endpoint) {
		this.endpoint = endpoint;
	}

	/**
	 * Return the locks that this instance holds or waits for and its roles, or what the
	 * store knows about one lock.
	 * @param name as in {@link LocksEndpoint#locks}
	 * @return 200, 400 if the name is not valid, 404 if the named lock is free, 409 if
	 * its key is not a lock, 503 if the store does not reply or refuses the request
	 */
	@ReadOperation
	public WebEndpointResponse<Object> locks(@Nullable String name) {
		return reply(() -> found(this.endpoint.locks(name)));
	}

	/**
	 * Return what the store knows about a lock.
	 * @param name as in {@link LocksEndpoint#lock}
	 * @param path as in {@link LocksEndpoint#lock}
	 * @return 200, 400 if the lock is named twice or the name is not valid, 404 if it is
	 * free, 409 if its key is not a lock, 503 if the store does not reply or refuses the
	 * request
	 */
	@ReadOperation
	public WebEndpointResponse<Object> lock(@Nullable String name,
			@Selector(match = Match.ALL_REMAINING) String... path) {
		return reply(() -> found(this.endpoint.lock(name, path)));
	}

	/**
	 * Take a lock from its holder.
	 * @param security the caller
	 * @param name as in {@link LocksEndpoint#forceRelease}
	 * @param owner as in {@link LocksEndpoint#forceRelease}
	 * @param fencingToken as in {@link LocksEndpoint#forceRelease}
	 * @return 200 if the lock was released, 400 if the name is not valid or only one
	 * holder of a shared lock is named, 404 if it was free, 409 if its holder is not the
	 * expected one or its key is not a lock, 503 if the store does not reply or refuses
	 * the request
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceRelease(SecurityContext security, String name, @Nullable String owner,
			@Nullable Long fencingToken) {
		return reply(() -> done(this.endpoint.forceRelease(security, name, owner, fencingToken)));
	}

	/**
	 * Refuse to release a lock that is named by a path.
	 * @param path ignored
	 * @return 400
	 */
	@DeleteOperation
	public WebEndpointResponse<Object> forceReleaseByPath(@Selector(match = Match.ALL_REMAINING) String... path) {
		return new WebEndpointResponse<>(
				Map.of("error", "A path may lose slashes and name another lock: use the parameter ?name=… instead"),
				WebEndpointResponse.STATUS_BAD_REQUEST);
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

	private static WebEndpointResponse<Object> reply(Supplier<WebEndpointResponse<Object>> request) {
		try {
			return request.get();
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
