package io.github.redislock.memory;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

import io.github.redislock.FencingTokens;
import io.github.redislock.LockState;
import io.github.redislock.LockStore;
import io.github.redislock.LockTarget;
import io.github.redislock.LockTimer;
import org.jspecify.annotations.Nullable;

/**
 * Keeps locks in the memory of this process: for unit tests, and for applications that
 * run only once.
 * <p>
 * Keeps the same contract as the stores that are shared, but excludes only callers that
 * use this very object. Thread-safe.
 *
 * @see ManualLockTimer
 */
public final class InMemoryLockStore implements LockStore {

	private static final int CLEAN_UP_SIZE = 1_000;

	/** For so long, who was told that it is its turn keeps others from asking again. */
	private static final Duration TURN = Duration.ofMillis(900);

	/** Without a question for so long, a waiter counts as dead. */
	private static final Duration SILENCE_LIMIT = Duration.ofSeconds(3);

	private final LockTimer timer;

	/** Guarded by this object's monitor, as all that follows. */
	private final Map<String, Lock> locks = new HashMap<>();

	/** By lock name, who waits in which order. */
	private final Map<String, Map<String, Waiter>> queues = new HashMap<>();

	private final Map<String, Long> withdrawn = new HashMap<>();

	/** To be told once the monitor is left. */
	private List<Consumer<HandOverListener>> news = new ArrayList<>();

	private long lastToken;

	private int cleanUpAt = CLEAN_UP_SIZE;

	private @Nullable HandOverListener listener;

	/**
	 * Create a store that runs with the system's clocks.
	 */
	public InMemoryLockStore() {
		this(LockTimer.system());
	}

	/**
	 * Create a store with a clock of one's own.
	 * @param timer the clock by which locks run out
	 */
	public InMemoryLockStore(LockTimer timer) {
		this.timer = timer;
	}

	@Override
	public synchronized void listen(HandOverListener listener) {
		this.listener = listener;
	}

	@Override
	public List<LockTarget> groups(LockTarget target) {
		return List.of(target);
	}

	@Override
	public CompletionStage<AcquireAnswer> acquire(AcquireRequest request) {
		return answer(() -> decide(request, null));
	}

	@Override
	public CompletionStage<Boolean> renew(LockTarget target, String owner, Duration timeToLive) {
		return answer(() -> {
			Lock present = live(target.name());
			if (present == null || !present.owner().equals(owner)) {
				return false;
			}
			this.locks.put(target.name(), present.until(expiry(timeToLive)));
			return true;
		});
	}

	@Override
	public CompletionStage<Boolean> release(AcquireRequest granted, Duration keepFor) {
		return answer(() -> letGo(granted, keepFor));
	}

	@Override
	public CompletionStage<YieldAnswer> yieldAndAcquire(AcquireRequest granted, AcquireRequest next) {
		return answer(() -> {
			boolean released = letGo(granted, Duration.ZERO);
			return new YieldAnswer(released, decide(next, released ? granted.requestId() : null));
		});
	}

	@Override
	public CompletionStage<Void> withdraw(AcquireRequest request, Duration keepFor) {
		return answer(() -> {
			List<String> names = request.target().names();
			names.forEach((name) -> leaveQueue(name, request.requestId()));
			names.forEach((name) -> {
				Lock present = live(name);
				if (present == null) {
					// It may have been kept free for this request.
					handOver(name, null, null);
				}
				else if (present.requestId().equals(request.requestId())) {
					letGo(name, request, keepFor);
				}
			});
			Duration timeToLive = request.timeToLive();
			this.withdrawn.put(request.requestId(),
					this.timer.nanoTime() + ((timeToLive != null) ? timeToLive : Duration.ofDays(1)).toNanos());
			return null;
		});
	}

	@Override
	public CompletionStage<Optional<LockState>> inspect(LockTarget target) {
		return answer(() -> Optional.ofNullable(live(target.name())).map((lock) -> state(target.name(), lock)));
	}

	@Override
	public CompletionStage<Boolean> forceRelease(LockTarget target) {
		return answer(() -> {
			boolean held = live(target.name()) != null;
			this.locks.remove(target.name());
			if (held) {
				handOver(target.name(), null, null);
			}
			return held;
		});
	}

	@Override
	public synchronized void close() {
		this.locks.clear();
		this.queues.clear();
		this.withdrawn.clear();
	}

	/**
	 * Return how many locks, waiters and withdrawals are remembered.
	 */
	synchronized int size() {
		return this.locks.size() + this.queues.values().stream().mapToInt(Map::size).sum() + this.withdrawn.size();
	}

	/**
	 * Answer a question for locks.
	 * @param previousId the request that has just let go of them, or {@code null} for
	 * none
	 */
	private AcquireAnswer decide(AcquireRequest request, @Nullable String previousId) {
		cleanUp();
		if (this.withdrawn.containsKey(request.requestId())) {
			return new AcquireAnswer.Withdrawn();
		}
		List<String> names = request.target().names();
		List<Lock> own = names.stream()
			.flatMap((name) -> Stream.ofNullable(live(name)))
			.filter((lock) -> lock.owner().equals(request.owner()))
			.toList();
		if (own.size() == names.size()) {
			names.forEach((name) -> grantAgain(name, request));
			return new AcquireAnswer.Granted(own.stream().mapToLong(Lock::token).max().orElseThrow());
		}
		boolean waits = request.claim() != null;
		if (waits && !names.stream().allMatch(this::isUnknown)) {
			joinQueues(names, request);
		}
		LockState inTheWay = null;
		for (String name : names) {
			Lock holder = holderFor(name, request, previousId);
			if (holder != null && inTheWay == null) {
				inTheWay = state(name, holder);
			}
		}
		if (inTheWay != null) {
			giveBack(names, request);
			return new AcquireAnswer.Held(inTheWay, waits, waits);
		}
		long token = nextTokens(request);
		for (String name : names) {
			leaveQueue(name, request.requestId());
			this.locks.put(name, grant(live(name), request, previousId, token));
		}
		return new AcquireAnswer.Granted(token);
	}

	/**
	 * Return a lock as its asker's: what that one held before stays its earlier
	 * request's, and is never shortened.
	 */
	private Lock grant(@Nullable Lock own, AcquireRequest request, @Nullable String previousId, long token) {
		Long expiresAt = expiry(request.timeToLive());
		return (own != null)
				? new Lock(own.owner(), own.requestId(), own.previousId(), token, later(own.expiresAt(), expiresAt))
				: new Lock(request.owner(), request.requestId(), previousId, token, expiresAt);
	}

	/**
	 * Return who keeps a request from one of its locks, or hand that over to who waits
	 * longer.
	 */
	private @Nullable Lock holderFor(String name, AcquireRequest request, @Nullable String previousId) {
		Lock present = live(name);
		if (present == null) {
			return handOver(name, previousId, request.requestId());
		}
		return present.owner().equals(request.owner()) ? null : present;
	}

	/**
	 * Return whether nobody has a lock or waits for it.
	 */
	private boolean isUnknown(String name) {
		return live(name) == null && !this.queues.containsKey(name);
	}

	private void grantAgain(String name, AcquireRequest request) {
		// Another request of this owner may have been the one whose turn it was.
		leaveQueue(name, request.requestId());
		this.locks.computeIfPresent(name,
				(key, present) -> present.until(later(present.expiresAt(), expiry(request.timeToLive()))));
	}

	/**
	 * Let go of what a request was granted that is not whole any more.
	 */
	private void giveBack(List<String> names, AcquireRequest request) {
		names.forEach((name) -> {
			Lock present = live(name);
			if (present != null && present.requestId().equals(request.requestId())) {
				letGo(name, request, Duration.ZERO);
			}
		});
	}

	private boolean letGo(AcquireRequest granted, Duration keepFor) {
		boolean all = true;
		for (String name : granted.target().names()) {
			all &= letGo(name, granted, keepFor);
		}
		return all;
	}

	private boolean letGo(String name, AcquireRequest granted, Duration keepFor) {
		Lock last = this.locks.get(name);
		if (last == null) {
			return false;
		}
		if (!last.owner().equals(granted.owner())) {
			return granted.requestId().equals(last.previousId());
		}
		if (isLive(last)) {
			this.locks.put(name, last.until(expiry(keepFor)));
			if (keepFor.isZero()) {
				handOver(name, granted.requestId(), null);
			}
		}
		return true;
	}

	/**
	 * Hand a lock over to the first live waiter, or tell that one to ask.
	 * @param previousId the request that lets go, or {@code null} for none
	 * @param asker the request that takes the lock itself when its turn comes
	 * @return who is next, or {@code null} if nobody waits or it is the asker's turn
	 */
	private @Nullable Lock handOver(String name, @Nullable String previousId, @Nullable String asker) {
		Waiter waiter = firstLiveWaiter(name);
		if (waiter == null || waiter.request().requestId().equals(asker)) {
			return null;
		}
		AcquireRequest request = waiter.request();
		if (Duration.ZERO.equals(request.claim())) {
			this.news.add((told) -> told.turnHasCome(request.requestId()));
			return new Lock(request.owner(), request.requestId(), previousId,
					FencingTokens.next(this.timer.now(), this.lastToken), expiry(TURN));
		}
		leaveQueue(name, request.requestId());
		Lock next = new Lock(request.owner(), request.requestId(), previousId, nextTokens(request),
				expiry(request.claim()));
		this.locks.put(name, next);
		HandOver handOver = new HandOver(request.requestId(), request.askedAt(), next.token());
		this.news.add((told) -> told.handedOver(handOver));
		return next;
	}

	private @Nullable Waiter firstLiveWaiter(String name) {
		for (Waiter waiter : List.copyOf(this.queues.getOrDefault(name, Map.of()).values())) {
			if (this.timer.nanoTime() - waiter.seenAt() <= SILENCE_LIMIT.toNanos()) {
				return waiter;
			}
			leaveQueue(name, waiter.request().requestId());
		}
		return null;
	}

	/**
	 * Keep a place in each queue, or take one in all: whoever has lost it in one has lost
	 * it in all, so that any two wait in the same order wherever they meet.
	 */
	private void joinQueues(List<String> names, AcquireRequest request) {
		boolean known = names.stream()
			.allMatch((name) -> this.queues.getOrDefault(name, Map.of()).containsKey(request.requestId()));
		if (!known) {
			names.forEach((name) -> leaveQueue(name, request.requestId()));
		}
		names.forEach((name) -> joinQueue(name, request));
	}

	private void joinQueue(String name, AcquireRequest request) {
		this.queues.computeIfAbsent(name, (key) -> new LinkedHashMap<>())
			.put(request.requestId(), new Waiter(request, this.timer.nanoTime()));
	}

	private void leaveQueue(String name, String requestId) {
		this.queues.computeIfPresent(name, (key, queue) -> {
			queue.remove(requestId);
			return queue.isEmpty() ? null : queue;
		});
	}

	/**
	 * Return the first of the tokens that a request reserves.
	 */
	private long nextTokens(AcquireRequest request) {
		long first = FencingTokens.next(this.timer.now(), this.lastToken);
		this.lastToken = first + request.tokens() - 1;
		return first;
	}

	private <T extends @Nullable Object> CompletionStage<T> answer(Supplier<T> decision) {
		T answer;
		List<Consumer<HandOverListener>> toTell;
		HandOverListener told;
		synchronized (this) {
			answer = decision.get();
			toTell = takeNews();
			told = this.listener;
		}
		if (told != null) {
			toTell.forEach((news) -> news.accept(told));
		}
		return CompletableFuture.completedFuture(answer);
	}

	private List<Consumer<HandOverListener>> takeNews() {
		if (this.news.isEmpty()) {
			return List.of();
		}
		List<Consumer<HandOverListener>> taken = this.news;
		this.news = new ArrayList<>();
		return taken;
	}

	private @Nullable Lock live(String name) {
		Lock lock = this.locks.get(name);
		return (lock != null && isLive(lock)) ? lock : null;
	}

	private boolean isLive(Lock lock) {
		return lock.expiresAt() == null || lock.expiresAt() - this.timer.nanoTime() > 0;
	}

	private @Nullable Long expiry(@Nullable Duration timeToLive) {
		return (timeToLive != null) ? this.timer.nanoTime() + timeToLive.toNanos() : null;
	}

	private @Nullable Long later(@Nullable Long present, @Nullable Long asked) {
		if (present == null || asked == null) {
			return asked;
		}
		return (asked - present > 0) ? asked : present;
	}

	private LockState state(String name, Lock lock) {
		Long expiresAt = lock.expiresAt();
		Duration remaining = (expiresAt != null) ? Duration.ofNanos(expiresAt - this.timer.nanoTime()) : null;
		return new LockState(name, lock.owner(), remaining, lock.token(),
				this.queues.getOrDefault(name, Map.of()).size(), live(name) != null);
	}

	/**
	 * Forget what has run out, each time the memory has grown by half.
	 */
	private void cleanUp() {
		if (this.locks.size() + this.withdrawn.size() < this.cleanUpAt) {
			return;
		}
		this.locks.values().removeIf((lock) -> !isLive(lock));
		this.withdrawn.values().removeIf((until) -> until - this.timer.nanoTime() <= 0);
		int size = this.locks.size() + this.withdrawn.size();
		this.cleanUpAt = Math.max(CLEAN_UP_SIZE, size + size / 2);
	}

	/**
	 * A lock and its last holder.
	 */
	private record Lock(String owner, String requestId, @Nullable String previousId, long token,
			@Nullable Long expiresAt) {

		Lock until(@Nullable Long end) {
			return new Lock(this.owner, this.requestId, this.previousId, this.token, end);
		}

	}

	/**
	 * A request that waits.
	 */
	private record Waiter(AcquireRequest request, long seenAt) {
	}

}
