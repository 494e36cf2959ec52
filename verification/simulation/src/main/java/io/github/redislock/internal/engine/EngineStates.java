package io.github.redislock.internal.engine;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import io.github.redislock.HeldLock;
import org.jspecify.annotations.Nullable;

/**
 * The states in which the parts of an engine were seen: the values of enum fields and
 * flags, and the other fields that were set.
 */
public final class EngineStates {

	/** The number of holds in a turn that has reached its limit. */
	private static final int LONG_TURN = Tenure.MOST_HOLDS;

	private static final List<String> ROWS = new ArrayList<>();

	private static final Map<Class<?>, List<Probe>> PROBES = new HashMap<>();

	private static final Field ENGINE = field(LockTemplate.class, "engine");

	private static final Field SHUTDOWN = field(LockEngine.class, "shutdown");

	private static final Field ENGINE_STATE = field(Shutdown.class, "state");

	private static final Field OPEN = field(LockEngine.class, "open");

	private static final Field QUEUES_BY_LOCK = field(OpenLocks.class, "queues");

	private static final Field QUEUE_STATE = field(LocalQueue.class, "state");

	private static final Field REQUEST = field(QueueState.class, "pending");

	private static final Field TENURE = field(QueueState.class, "tenure");

	private static final Field REQUEST_STATE = field(PendingRequest.class, "state");

	private static final Field HOLD = field(Renewal.class, "holder");

	private static final Field HOLDS = field(Tenure.class, "holds");

	private static final Field GRANT = field(Tenure.class, "grant");

	private static final Field RENEWAL = field(Tenure.class, "renewal");

	private static final Field RENEWAL_STATE = field(Renewal.class, "state");

	private static final Field LOSS = field(Hold.class, "loss");

	private static final List<?> ENGINE_STATES;

	private static final int FIRST_ENGINE_STATE;

	private static final int LONG_TURN_ROW;

	/** The changes of a hold's standing, as {@link Standing} has them. */
	private static final Map<Standing, Set<Standing>> CHANGES = Map.of(Standing.SURE,
			EnumSet.of(Standing.UNSURE, Standing.LOST, Standing.RELEASED), Standing.UNSURE,
			EnumSet.of(Standing.SURE, Standing.LOST, Standing.RELEASED), Standing.LOST, EnumSet.of(Standing.RELEASED),
			Standing.RELEASED, EnumSet.noneOf(Standing.class));

	static {
		for (Class<?> type : List.of(PendingRequest.class, Tenure.class, Hold.class, LossReport.class, Renewal.class,
				Lease.class)) {
			PROBES.put(type, Arrays.stream(type.getDeclaredFields())
				.filter((field) -> !Modifier.isStatic(field.getModifiers()) && !Modifier.isFinal(field.getModifiers()))
				.filter((field) -> !field.getType().isPrimitive() || field.getType() == boolean.class)
				.map(EngineStates::probe)
				.toList());
		}
		ENGINE_STATES = Arrays.stream(Shutdown.class.getDeclaredClasses())
			.filter((type) -> type.isEnum() && type.getSimpleName().equals("State"))
			.flatMap((type) -> Arrays.stream(type.getEnumConstants()))
			.toList();
		FIRST_ENGINE_STATE = ROWS.size();
		ENGINE_STATES.forEach((state) -> ROWS.add("Shutdown.state: " + state));
		LONG_TURN_ROW = ROWS.size();
		ROWS.add("Tenure.holds: " + LONG_TURN);
		CHANGES.forEach((from, all) -> all.forEach((to) -> ROWS.add(change(from, to))));
	}

	private final BitSet seen = new BitSet();

	private final Map<Hold, Standing> standings = new HashMap<>();

	/** The objects whose state may still change. */
	private final Set<Object> watched = Collections.newSetFromMap(new IdentityHashMap<>());

	public static List<String> all() {
		return Collections.unmodifiableList(ROWS);
	}

	public List<String> seen() {
		return this.seen.stream().mapToObj(ROWS::get).toList();
	}

	/**
	 * Return whether a lock is unsure, so that its holder has asked the store.
	 */
	public static boolean isUnsure(HeldLock handle) {
		return handle instanceof HoldHandle given && given.hold().standing() == Standing.UNSURE;
	}

	public void look(SimulatedEngine simulated) {
		Object engine = get(ENGINE, simulated);
		AtomicReference<?> state = (AtomicReference<?>) get(ENGINE_STATE, get(SHUTDOWN, engine));
		this.seen.set(FIRST_ENGINE_STATE + ENGINE_STATES.indexOf(state.get()));
		for (Object queue : ((Map<?, ?>) get(QUEUES_BY_LOCK, get(OPEN, engine))).values()) {
			Object queueState = get(QUEUE_STATE, queue);
			watch(find(REQUEST, queueState));
			watch(find(TENURE, queueState));
		}
		// Holds may be added while this runs.
		List.copyOf(this.watched)
			.stream()
			.filter(Tenure.class::isInstance)
			.forEach((tenure) -> watch(find(HOLD, get(RENEWAL, tenure))));
		for (Iterator<Object> all = this.watched.iterator(); all.hasNext();) {
			Object part = all.next();
			probe(part);
			if (isOver(part)) {
				all.remove();
				this.standings.remove(part);
			}
		}
	}

	private void watch(@Nullable Object part) {
		if (part != null) {
			this.watched.add(part);
		}
	}

	private void probe(Object part) {
		probeFields(part);
		if (part instanceof Tenure) {
			probeFields(((Grant) get(GRANT, part)).lease());
			probeFields(get(RENEWAL, part));
			if ((int) get(HOLDS, part) >= LONG_TURN) {
				this.seen.set(LONG_TURN_ROW);
			}
		}
		else if (part instanceof Hold hold) {
			note(hold);
			Object loss = find(LOSS, part);
			if (loss != null) {
				probeFields(loss);
			}
		}
	}

	/**
	 * Note how the standing of a hold has changed since the last look. Time passes
	 * between two looks, so a lease may have become unsure and then lost.
	 */
	private void note(Hold hold) {
		Standing now = hold.standing();
		Standing before = this.standings.put(hold, now);
		if (before == null || before == now) {
			return;
		}
		int row = ROWS.indexOf(change(before, now));
		if (row < 0) {
			throw new IllegalStateException("A hold that was %s is %s".formatted(before, now));
		}
		this.seen.set(row);
	}

	private static String change(Standing from, Standing to) {
		return "Hold.standing: %s, then %s".formatted(from, to);
	}

	private void probeFields(Object part) {
		for (Probe probe : PROBES.getOrDefault(part.getClass(), List.of())) {
			Object value = find(probe.field, part);
			if (value instanceof Enum<?> constant) {
				this.seen.set(probe.row + constant.ordinal());
			}
			else if (value instanceof Boolean flag) {
				this.seen.set(probe.row + (flag ? 1 : 0));
			}
			else if (value != null) {
				this.seen.set(probe.row);
			}
		}
	}

	private static boolean isOver(Object part) {
		if (part instanceof Hold hold) {
			return hold.standing() == Standing.RELEASED;
		}
		Object state = (part instanceof Tenure) ? get(RENEWAL_STATE, get(RENEWAL, part)) : get(REQUEST_STATE, part);
		return state.toString().equals((part instanceof Tenure) ? "STOPPED" : "ENDED");
	}

	private static Probe probe(Field field) {
		field.setAccessible(true);
		int row = ROWS.size();
		String name = field.getDeclaringClass().getSimpleName() + "." + field.getName();
		if (field.getType().isEnum()) {
			Arrays.stream(field.getType().getEnumConstants()).forEach((constant) -> ROWS.add(name + ": " + constant));
		}
		else if (field.getType() == boolean.class) {
			ROWS.add(name + ": false");
			ROWS.add(name + ": true");
		}
		else {
			ROWS.add(name + ": set");
		}
		return new Probe(field, row);
	}

	private static Field field(Class<?> type, String name) {
		try {
			Field field = type.getDeclaredField(name);
			field.setAccessible(true);
			return field;
		}
		catch (NoSuchFieldException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Object get(Field field, Object of) {
		Object value = find(field, of);
		if (value == null) {
			throw new IllegalStateException(field + " is not set");
		}
		return value;
	}

	private static @Nullable Object find(Field field, Object of) {
		try {
			return field.get(of);
		}
		catch (IllegalAccessException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * An observed field.
	 *
	 * @param row the row of its first value
	 */
	private record Probe(Field field, int row) {
	}

}
