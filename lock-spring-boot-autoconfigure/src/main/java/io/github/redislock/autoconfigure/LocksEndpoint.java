package io.github.redislock.autoconfigure;

import java.security.Principal;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Supplier;

import io.github.redislock.LockKeyConflictException;
import io.github.redislock.LockOperations;
import io.github.redislock.LockState;
import io.github.redislock.LockStoreException;
import io.github.redislock.LockTarget;
import io.github.redislock.autoconfigure.LockDescriptors.ForcedRelease;
import io.github.redislock.autoconfigure.LockDescriptors.KnownLock;
import io.github.redislock.autoconfigure.LockDescriptors.LocksOfInstance;
import io.github.redislock.autoconfigure.LockDescriptors.Outcome;
import io.github.redislock.leadership.Leadership;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.aot.hint.annotation.RegisterReflectionForBinding;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.Selector.Match;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.WebEndpoint;
import org.springframework.context.ApplicationEventPublisher;

/**
 * {@link WebEndpoint} that shows the holders of locks, and can take a lock away from its
 * holder.
 * <p>
 * A lock's name is the rest of the path, including slashes; if a path cannot contain the
 * name, use the parameter {@code name}. A forced release accepts only the parameter,
 * because a web server may merge adjacent slashes in a path, so that the path names
 * another lock.
 * <p>
 * A forced release needs {@code management.endpoint.locks.access=unrestricted}, or
 * {@code management.endpoints.access.default=unrestricted} if that is not set, and a
 * {@code management.endpoints.access.max-permitted} that allows it.
 */
@WebEndpoint(id = "locks", defaultAccess = Access.READ_ONLY)
@RegisterReflectionForBinding({ LocksOfInstance.class, KnownLock.class, ForcedRelease.class })
final class LocksEndpoint {

	/**
	 * The type of the audit event for a forced release, even if its outcome is unknown.
	 */
	static final String AUDIT_TYPE = "LOCK_RELEASED_BY_FORCE";

	private static final Log logger = LogFactory.getLog(LocksEndpoint.class);

	private static final int CONFLICT = 409;

	private final LockOperations locks;

	private final ApplicationEventPublisher publisher;

	private final Iterable<Leadership> leaderships;

	LocksEndpoint(LockOperations locks, ApplicationEventPublisher publisher, Iterable<Leadership> leaderships) {
		this.locks = locks;
		this.publisher = publisher;
		this.leaderships = leaderships;
	}

	/**
	 * Return the locks that this instance holds or waits for and its roles, or what the
	 * store knows about one lock.
	 * @param name the name of one lock, or {@code null} for the locks of this instance
	 * @return 200, 400 if the name is not valid, 404 if the named lock is free, 409 if
	 * its key is not a lock, 503 if the store does not reply or refuses the request
	 */
	@ReadOperation
	WebEndpointResponse<Object> locks(@Nullable String name) {
		return (name != null) ? find(name)
				: new WebEndpointResponse<>(LocksOfInstance.of(this.locks.local(), this.leaderships));
	}

	/**
	 * Return what the store knows about a lock.
	 * @param name must be {@code null}, because the path names the lock
	 * @param path the lock's name, split at its slashes
	 * @return 200, 400 if the lock is named twice or the name is not valid, 404 if it is
	 * free, 409 if its key is not a lock, 503 if the store does not reply or refuses the
	 * request
	 */
	@ReadOperation
	WebEndpointResponse<Object> lock(@Nullable String name, @Selector(match = Match.ALL_REMAINING) String... path) {
		if (name != null) {
			throw new InvalidEndpointRequestException(
					"Both the path and the parameter 'name' name a lock: '%s' and '%s'"
						.formatted(String.join("/", path), name),
					"Name the lock either in the path or in the parameter 'name'");
		}
		return find(String.join("/", path));
	}

	/**
	 * Take a lock from all of its holders, or only from the given holder.
	 * @param security the caller
	 * @param name the lock's name
	 * @param owner the owner token of the expected holder, complete or shortened as in
	 * the results; {@code null} for any holder
	 * @param fencingToken the fencing token of the expected hold; {@code null} for any
	 * hold. If only the holding instance knows which of several tokens it uses, each of
	 * these tokens matches
	 * @return 200 if the lock was released, 400 if the name is not valid or only one
	 * holder of a shared lock is named, 404 if it was free, 409 if its holder is not the
	 * expected one or its key is not a lock, 503 if the store does not reply or refuses
	 * the request
	 */
	@DeleteOperation
	WebEndpointResponse<Object> forceRelease(SecurityContext security, String name, @Nullable String owner,
			@Nullable Long fencingToken) {
		LockTarget target = target(name);
		Principal principal = security.getPrincipal();
		return reply(() -> {
			Optional<LockState> seen = this.locks.inspect(target);
			return (seen.isPresent() && isExpected(seen.get(), owner, fencingToken))
					? take(target, seen.get(), (principal != null) ? principal.getName() : null) : kept(target, seen);
		});
	}

	/**
	 * Refuse to release a lock that is named by a path.
	 * @param path ignored
	 * @return 400
	 */
	@DeleteOperation
	WebEndpointResponse<Object> forceReleaseByPath(@Selector(match = Match.ALL_REMAINING) String... path) {
		return failed("A path may lose slashes and name another lock: use the parameter ?name=… instead",
				WebEndpointResponse.STATUS_BAD_REQUEST);
	}

	/**
	 * Take a lock away only if the holder that was seen still has it.
	 */
	private WebEndpointResponse<Object> take(LockTarget target, LockState seen, @Nullable String principal) {
		boolean taken;
		try {
			taken = this.locks.forceRelease(target, seen);
		}
		catch (LockStoreException ex) {
			if (ex.isOutcomeUnknown()) {
				report(seen, principal, false);
			}
			throw ex;
		}
		if (taken) {
			report(seen, principal, true);
			return new WebEndpointResponse<>(new ForcedRelease(seen.name(), Outcome.RELEASED, KnownLock.of(seen)));
		}
		// The holder has probably released or lost the lock, perhaps through this
		// request: a client that reconnects may send a request twice, and the second one
		// finds no holder.
		Optional<LockState> present = Optional.empty();
		try {
			present = this.locks.inspect(target);
		}
		finally {
			if (present.isEmpty() || !Objects.equals(present.get().owner(), seen.owner())) {
				report(seen, principal, false);
			}
		}
		return kept(target, present);
	}

	/**
	 * Return the response if no lock was taken away.
	 * @param present the holder that keeps the lock, if it is not free
	 */
	private static WebEndpointResponse<Object> kept(LockTarget target, Optional<LockState> present) {
		return new WebEndpointResponse<>(
				new ForcedRelease(target.name(), present.isPresent() ? Outcome.HELD_BY_ANOTHER : Outcome.FREE,
						present.map(KnownLock::of).orElse(null)),
				present.isPresent() ? CONFLICT : WebEndpointResponse.STATUS_NOT_FOUND);
	}

	/**
	 * Return whether a holder is the expected one. Refuse to take a shared lock from only
	 * one of its holders, because all of them would lose it.
	 */
	private static boolean isExpected(LockState holder, @Nullable String owner, @Nullable Long fencingToken) {
		if (owner == null && fencingToken == null) {
			return true;
		}
		if (holder.holders() > 1) {
			throw new InvalidEndpointRequestException(
					("Lock '%s' is shared by %s holders, and a forced release takes it from all of them. To do so,"
							+ " repeat the request without 'owner' and 'fencingToken'")
						.formatted(holder.name(), holder.holders()),
					"The lock is shared: leave out 'owner' and 'fencingToken'");
		}
		return (owner == null || owner.equals(holder.shortOwner()) || owner.equals(holder.owner()))
				&& (fencingToken == null || holder.mayHave(fencingToken));
	}

	/**
	 * Log a forced release, and publish its audit event.
	 * @param certain {@code false} if it is unknown whether the lock was taken away
	 */
	private void report(LockState holder, @Nullable String principal, boolean certain) {
		String who = (principal != null) ? "'" + principal + "'" : "an unknown user";
		String whom = (holder.holders() > 1) ? "%s holders that shared it".formatted(holder.holders())
				: holder.shortOwner();
		String since = (holder.since() != null) ? " since " + holder.since() : "";
		Long last = LockDescriptors.lastOfSeveral(holder);
		String upTo = (last != null) ? " to " + last : "";
		String hold = "%s%s, fencing token %s%s".formatted(whom, since, holder.fencingToken(), upTo);
		logger.warn((certain ? "Lock '%s' was forcibly released by %s through the endpoint. It was held by %s"
				: "Lock '%s' may have been forcibly released by %s through the endpoint. It was held by %s")
			.formatted(holder.name(), who, hold));
		Map<String, @Nullable Object> data = new TreeMap<>();
		data.put("lock", holder.name());
		data.put("owner", holder.shortOwner());
		data.put("holders", holder.holders());
		data.put("outcome", certain ? "RELEASED" : "UNKNOWN");
		if (holder.fencingToken() != null) {
			data.put("fencingToken", holder.fencingToken());
		}
		if (last != null) {
			data.put("lastFencingToken", last);
		}
		try {
			this.publisher
				.publishEvent(new AuditApplicationEvent((principal != null) ? principal : "unknown", AUDIT_TYPE, data));
		}
		catch (RuntimeException ex) {
			// A failed listener must not change the response.
			logger.warn("Lock '%s': a listener failed on the audit event of its forced release by %s"
				.formatted(holder.name(), who), ex);
		}
	}

	private WebEndpointResponse<Object> find(String name) {
		LockTarget target = target(name);
		return reply(() -> this.locks.inspect(target)
			.map((state) -> new WebEndpointResponse<Object>(KnownLock.of(state)))
			.orElseGet(() -> new WebEndpointResponse<>(WebEndpointResponse.STATUS_NOT_FOUND)));
	}

	private static WebEndpointResponse<Object> reply(Supplier<WebEndpointResponse<Object>> request) {
		try {
			return request.get();
		}
		catch (LockStoreException ex) {
			return failed(String.valueOf(ex.getMessage()), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
		}
		catch (LockKeyConflictException ex) {
			return failed(String.valueOf(ex.getMessage()), CONFLICT);
		}
	}

	private static WebEndpointResponse<Object> failed(String reason, int status) {
		return new WebEndpointResponse<>(Map.of("error", reason), status);
	}

	private static LockTarget target(String name) {
		try {
			return LockTarget.of(name);
		}
		catch (IllegalArgumentException ex) {
			throw new InvalidEndpointRequestException(String.valueOf(ex.getMessage()), "This is not a valid lock name");
		}
	}

}
