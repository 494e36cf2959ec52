package io.github.redislock.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.security.Principal;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.github.redislock.LockConfiguration;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOptions;
import io.github.redislock.LockState;
import io.github.redislock.LockTarget;
import io.github.redislock.autoconfigure.LockDescriptors.ForcedRelease;
import io.github.redislock.autoconfigure.LockDescriptors.KnownLock;
import io.github.redislock.autoconfigure.LockDescriptors.Outcome;
import io.github.redislock.redis.RedisLockStore;
import io.github.redislock.redis.RedisLockStoreOptions;
import io.github.redislock.redis.RedisLockTemplate;
import io.github.redislock.testing.LogRecorder;
import io.github.redislock.testing.OwnThread;
import io.github.redislock.testing.RedisProcess;
import io.github.redislock.testing.RedisServerExtension;
import io.github.redislock.testing.TestRedis;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.InMemoryAuditEventRepository;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.audit.listener.AuditListener;
import org.springframework.boot.actuate.autoconfigure.audit.AuditAutoConfiguration;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.core.StringRedisTemplate;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Queries an application over HTTP while another instance holds locks. No lock is renewed
 * within three minutes.
 */
@ExtendWith(RedisServerExtension.class)
class LocksEndpointTests {

	private static final LockTarget ORDER = LockTarget.of("order:42");

	private static final LockOptions LONG = LockOptions.options()
		.timeout(Duration.ofMinutes(10))
		.waitTime(Duration.ofMinutes(1));

	private static final HttpClient client = HttpClient.newHttpClient();

	private static ConfigurableApplicationContext application;

	private static RedisLockTemplate locks;

	private RedisLockTemplate other;

	private Set<Thread> connectingBefore;

	@BeforeAll
	static void startApplication() {
		application = start("--redis-lock.instance-id=shop-1", "--redis-lock.hand-over.slice=30s",
				"--management.endpoint.locks.access=unrestricted");
		locks = application.getBean(RedisLockTemplate.class);
	}

	@AfterAll
	static void stopApplication() {
		application.close();
	}

	@BeforeEach
	void begin() {
		// Includes threads of earlier tests, whose Redis may be unreachable.
		this.connectingBefore = connecting();
		this.other = new RedisLockTemplate(
				RedisLockStore.create(TestRedis.shared().connectionFactory(), RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults().instance("shop-2").slice(Duration.ofSeconds(30)));
	}

	@AfterEach
	void end() {
		this.other.close();
		Awaitility.await("nothing left").atMost(Duration.ofSeconds(20)).until(() -> locks.local().held().isEmpty());
	}

	@Test
	void locksHeldAndAwaitedByTheInstanceAreShown() throws Exception {
		LockHandle held = locks.acquire(LockTarget.of("stock:product-1"), LONG);
		LockHandle read = locks.acquire(LockTarget.of("catalogue").forReading(), LONG);
		LockHandle permit = locks.acquire(LockTarget.of("api").permits(3), LONG);
		LockHandle others = this.other.acquire(ORDER, LONG);
		CompletableFuture<LockHandle> local = acquireLater(locks, LockTarget.of("stock:product-1"));
		CompletableFuture<LockHandle> remote = acquireLater(locks, ORDER);
		Awaitility.await("both wait")
			.atMost(Duration.ofSeconds(20))
			.until(() -> locks.local().waiting().stream().filter((wanted) -> wanted.behind() != null).count() == 2);

		HttpResponse<String> reply = get("");

		assertThat(reply.statusCode()).isEqualTo(200);
		JsonNode body = json(reply);
		assertThat(body.get("instance").asString()).isEqualTo("shop-1");
		JsonNode first = named(body.get("held"), "stock:product-1");
		assertThat(first.get("mode").asString()).isEqualTo("exclusive");
		assertThat(first.has("names")).isFalse();
		assertThat(first.get("fencingToken").asLong()).isEqualTo(held.fencingToken());
		assertThat(first.get("owner").asString()).startsWith("shop-1/").endsWith("…");
		assertThat(first.get("thread").asString()).isEqualTo(Thread.currentThread().getName());
		assertThat(first.get("since").asString()).endsWith("Z");
		assertThat(Duration.parse(first.get("remaining").asString())).isBetween(Duration.ofMinutes(5),
				Duration.ofMinutes(10));
		assertThat(first.get("waiting").asInt()).isEqualTo(1);
		assertThat(first.get("renewed").asBoolean()).isTrue();
		assertThat(first.has("renewalFailure")).isFalse();
		assertThat(named(body.get("held"), "catalogue").get("mode").asString()).isEqualTo("read");
		assertThat(named(body.get("held"), "api").get("permits").asInt()).isEqualTo(3);
		JsonNode wanted = named(body.get("waiting"), "order:42");
		assertThat(wanted.get("callers").asInt()).isEqualTo(1);
		assertThat(body.get("refusedAtOnce").asInt()).isZero();
		assertThat(wanted.get("behind").get("holder").asString()).isEqualTo("shop-2");
		assertThat(wanted.get("behind").get("fencingToken").asLong()).isEqualTo(others.fencingToken());
		JsonNode own = named(body.get("waiting"), "stock:product-1").get("behind");
		assertThat(own.get("fencingToken").asLong()).isEqualTo(held.fencingToken());
		assertThat(own.has("waiting")).as("Redis was not asked").isFalse();
		assertThat(wanted.get("behind").get("waiting").asInt()).as("according to Redis").isEqualTo(1);
		assertThat(reply.body()).as("nothing with which to release a lock")
			.doesNotContain(held.owner(), others.owner());
		held.close();
		read.close();
		permit.close();
		others.close();
		local.join().close();
		remote.join().close();
	}

	@Test
	void eachNameOfSeveralLocksIsShown() throws Exception {
		List<String> names = IntStream.range(0, 10).mapToObj((number) -> "stock:" + number).toList();
		LockTarget ten = LockTarget.allOf(names.stream().map(LockTarget::of).toList());
		LockHandle held = locks.acquire(ten, LONG);
		CompletableFuture<LockHandle> next = acquireLater(locks, ten);

		JsonNode body = json(get(""));

		assertThat(body.get("held").get(0).get("names").valueStream().map(JsonNode::asString))
			.containsExactlyElementsOf(names);
		assertThat(body.get("waiting").get(0).get("names").valueStream().map(JsonNode::asString))
			.containsExactlyElementsOf(names);
		assertThat(json(get("/stock:9")).get("holder").asString()).isEqualTo("shop-1");
		held.close();
		next.join().close();
	}

	@ParameterizedTest
	@CsvSource({ "order:42, /order:42", "a/b:c 1%25, /a/b:c%201%2525", "Grüße;x, /Gr%C3%BC%C3%9Fe%3Bx",
			"a//b, ?name=a%2F%2Fb", "'/', ?name=%2F", "a+b&c=d?, ?name=a%2Bb%26c%3Dd%3F" })
	void lockOfAnotherInstanceCanBeShownByName(String name, String path) throws Exception {
		LockHandle held = this.other.acquire(LockTarget.of(name), LONG);

		HttpResponse<String> reply = get(path);

		assertThat(reply.statusCode()).isEqualTo(200);
		JsonNode body = json(reply);
		assertThat(body.get("name").asString()).isEqualTo(name);
		assertThat(body.get("held").asBoolean()).isTrue();
		assertThat(body.get("holder").asString()).isEqualTo("shop-2");
		assertThat(body.get("fencingToken").asLong()).isEqualTo(held.fencingToken());
		assertThat(body.get("since").asString()).endsWith("Z");
		assertThat(body.get("holders").asInt()).isEqualTo(1);
		assertThat(body.get("waiting").asInt()).isZero();
		assertThat(delete("?name=" + URLEncoder.encode(name, StandardCharsets.UTF_8)).statusCode()).isEqualTo(200);
		assertThat(get(path).statusCode()).isEqualTo(404);
	}

	@Test
	void freeLockIsNotFound() throws Exception {
		assertThat(get("/order:42").statusCode()).isEqualTo(404);
		assertThat(delete("?name=order:42").statusCode()).isEqualTo(404);
	}

	@Test
	void invalidLockNameIsABadRequest() throws Exception {
		assertThat(get("?name=%20").statusCode()).isEqualTo(400);
		assertThat(delete("").statusCode()).isEqualTo(400);
	}

	@Test
	void keyThatIsNotALockIsAConflict() throws Exception {
		new StringRedisTemplate(TestRedis.shared().connectionFactory()).opsForValue()
			.set("distributed_lock:order:42", "mine");

		assertThat(get("/order:42").statusCode()).isEqualTo(409);
		assertThat(delete("?name=order:42").body()).contains("a string without expiry");
	}

	@Test
	void holderIsNotifiedOfAForcedRelease() throws Exception {
		LockHandle held = this.other.acquire(ORDER, LONG);
		CompletableFuture<Void> lost = lossOf(held);
		awaitListeners();

		HttpResponse<String> reply = delete("?name=order:42");

		lost.get(20, TimeUnit.SECONDS);
		assertThat(reply.statusCode()).isEqualTo(200);
		assertThat(json(reply).get("outcome").asString()).isEqualTo("RELEASED");
		assertThat(json(reply).get("holder").get("fencingToken").asLong()).isEqualTo(held.fencingToken());
	}

	@Test
	void allReadersAreNotifiedOfAForcedRelease() throws Exception {
		LockHandle own = locks.acquire(LockTarget.of("catalogue").forReading(), LONG);
		LockHandle others = this.other.acquire(LockTarget.of("catalogue").forReading(), LONG);
		CompletableFuture<Void> ownLoss = lossOf(own);
		CompletableFuture<Void> othersLoss = lossOf(others);
		awaitListeners();
		assertThat(json(get("/catalogue")).get("holders").asInt()).isEqualTo(2);
		HttpResponse<String> unclear = delete("?name=catalogue&fencingToken=" + own.fencingToken());
		assertThat(unclear.statusCode()).isEqualTo(400);
		assertThat(own.verify()).isTrue();

		assertThat(delete("?name=catalogue").statusCode()).isEqualTo(200);

		ownLoss.get(20, TimeUnit.SECONDS);
		othersLoss.get(20, TimeUnit.SECONDS);
		own.release();
	}

	@Test
	void forcedReleaseWithAWrongTokenOrOwnerIsRefused() throws Exception {
		LockHandle held = this.other.acquire(ORDER, LONG);
		String shown = json(get("/order:42")).get("owner").asString();

		HttpResponse<String> wrongToken = delete("?name=order:42&fencingToken=" + (held.fencingToken() - 1));
		HttpResponse<String> wrongOwner = delete("?name=order:42&owner=shop-1/abc");

		assertThat(wrongToken.statusCode()).isEqualTo(409);
		assertThat(json(wrongToken).get("outcome").asString()).isEqualTo("HELD_BY_ANOTHER");
		assertThat(json(wrongToken).get("holder").get("fencingToken").asLong()).isEqualTo(held.fencingToken());
		assertThat(wrongOwner.statusCode()).isEqualTo(409);
		assertThat(held.verify()).isTrue();
		assertThat(delete("?name=order:42&fencingToken=" + held.fencingToken() + "&owner="
				+ shown.replace("/", "%2F").replace("…", "%E2%80%A6"))
			.statusCode()).isEqualTo(200);
		assertThat(held.verify()).isFalse();
	}

	@Test
	void laterTokenOfTheSameTurnIsAcceptedByOtherInstances() throws Exception {
		// Not passed on if it was granted before the instance learns of the forced
		// release.
		LockHandle held = Awaitility.await("passed on")
			.atMost(Duration.ofSeconds(20))
			.until(this::passedOn, Objects::nonNull);
		long first = held.fencingToken() - 1;
		JsonNode shown = json(get("/order:42"));
		assertThat(shown.get("fencingToken").asLong()).isEqualTo(first);
		long last = shown.get("lastFencingToken").asLong();
		assertThat(last).isEqualTo(first + 32);

		assertThat(delete("?name=order:42&fencingToken=" + (first - 1)).statusCode()).isEqualTo(409);
		assertThat(delete("?name=order:42&fencingToken=" + (last + 1)).statusCode()).isEqualTo(409);
		assertThat(held.verify()).isTrue();
		assertThat(delete("?name=order:42&fencingToken=" + held.fencingToken()).statusCode()).isEqualTo(200);
		assertThat(held.verify()).isFalse();
	}

	@Test
	void formerHolderOfThisInstanceIsNotMistakenForTheCurrentOne() throws Exception {
		LockHandle first = locks.acquire(ORDER, LONG);
		CompletableFuture<LockHandle> next = acquireLater(locks, ORDER);
		first.close();
		LockHandle held = next.get(20, TimeUnit.SECONDS);

		HttpResponse<String> reply = delete("?name=order:42&fencingToken=" + first.fencingToken());

		assertThat(reply.statusCode()).isEqualTo(409);
		assertThat(json(reply).get("holder").get("fencingToken").asLong()).isEqualTo(held.fencingToken());
		assertThat(json(reply).get("holder").has("lastFencingToken")).isFalse();
		assertThat(held.verify()).isTrue();
		held.close();
	}

	@Test
	void forcedReleaseIsLoggedAndAudited() throws Exception {
		LockHandle held = this.other.acquire(ORDER, LONG);
		InMemoryAuditEventRepository audit = application.getBean(InMemoryAuditEventRepository.class);

		try (LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {
			application.getBean(LocksEndpoint.class).forceRelease(user("bob"), "order:42", null, null);

			assertThat(log.text())
				.contains("Lock 'order:42' was forcibly released by 'bob' through the endpoint. It was held by shop-2/")
				.containsPattern(
						" since \\S+Z, fencing token %s to %s".formatted(held.fencingToken(), held.fencingToken() + 32))
				.doesNotContain(held.owner());
		}
		AuditEvent event = audit.find("bob", null, LocksEndpoint.AUDIT_TYPE).get(0);
		assertThat(event.getData()).containsEntry("lock", "order:42")
			.containsEntry("fencingToken", held.fencingToken())
			.containsEntry("lastFencingToken", held.fencingToken() + 32)
			.containsEntry("holders", 1)
			.containsEntry("outcome", "RELEASED");
	}

	@Test
	void nextHolderKeepsTheLockIfItChangesHandsDuringAForcedRelease() {
		LockHandle seen = this.other.acquire(ORDER, LONG);
		AtomicReference<LockHandle> next = new AtomicReference<>();
		try (RedisLockTemplate operator = operator(() -> {
			seen.close();
			next.set(this.other.acquire(ORDER, LONG));
		}); LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {

			ForcedRelease reply = result(forceRelease(operator, "order:42"));

			assertThat(reply.outcome()).isEqualTo(Outcome.HELD_BY_ANOTHER);
			assertThat(reply.holder()).extracting(KnownLock::fencingToken).isEqualTo(next.get().fencingToken());
			assertThat(log.text()).contains("Lock 'order:42' may have been forcibly released by 'alice'");
		}
		assertThat(next.get().verify()).isTrue();
	}

	@Test
	void lockReleasedDuringAForcedReleaseIsReportedAsFree() {
		LockHandle seen = this.other.acquire(ORDER, LONG);
		try (RedisLockTemplate operator = operator(seen::close);
				LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {

			ForcedRelease reply = result(forceRelease(operator, "order:42"));

			assertThat(reply.outcome()).isEqualTo(Outcome.FREE);
			assertThat(log.text()).contains("Lock 'order:42' may have been forcibly released by 'alice'");
		}
	}

	@Test
	void forcedReleaseWithoutReplyIsLoggedAndAudited() throws Exception {
		try (RedisProcess redis = RedisProcess.start();
				RedisLockTemplate holder = new RedisLockTemplate(redis.connectionFactory());
				RedisLockTemplate operator = operator(redis.connectionFactory(), redis::freeze);
				LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {
			LockHandle held = holder.acquire(LockTarget.of("order:43"), LONG);

			assertThat(forceRelease(operator, "order:43").getStatus()).isEqualTo(503);

			redis.thaw();
			assertThat(log.text()).contains("Lock 'order:43' may have been forcibly released by 'alice'")
				.contains("fencing token " + held.fencingToken());
		}
		AuditEvent event = application.getBean(InMemoryAuditEventRepository.class)
			.find("alice", null, LocksEndpoint.AUDIT_TYPE)
			.stream()
			.filter((one) -> "order:43".equals(one.getData().get("lock")))
			.findFirst()
			.orElseThrow();
		assertThat(event.getData()).containsEntry("outcome", "UNKNOWN");
	}

	@Test
	void forcedReleaseThatArrivesTwiceIsLoggedEvenIfTheStoreFailsAfterwards() {
		try (RedisProcess redis = RedisProcess.start();
				RedisLockTemplate operator = new RedisLockTemplate(redis.connectionFactory()) {

					@Override
					public boolean forceRelease(LockTarget target, LockState seen) {
						assertThat(super.forceRelease(target, seen)).isTrue();
						redis.freeze();
						return false;
					}

				};
				LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {
			operator.acquire(ORDER, LONG);

			assertThat(forceRelease(operator, "order:42").getStatus()).isEqualTo(503);

			redis.thaw();
			assertThat(log.text()).contains("Lock 'order:42' may have been forcibly released by 'alice'");
		}
	}

	@Test
	void forcedReleaseSucceedsEvenIfItsAuditFails() throws Exception {
		LockHandle held = this.other.acquire(ORDER, LONG);
		try (ConfigurableApplicationContext forgetful = start("--audit=fails",
				"--management.endpoint.locks.access=unrestricted");
				LogRecorder log = LogRecorder.warningsOf(LocksEndpoint.class.getName())) {

			HttpResponse<String> reply = send("DELETE", url(forgetful) + "?name=order:42");

			assertThat(reply.statusCode()).isEqualTo(200);
			assertThat(json(reply).get("outcome").asString()).isEqualTo("RELEASED");
			assertThat(log.text()).contains("Lock 'order:42' was forcibly released by")
				.contains("Lock 'order:42': a listener failed on the audit event of its forced release");
		}
		assertThat(held.verify()).isFalse();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/critical", "/harmless?name=critical", "/harmless?path=critical", "/a//b", "//critical",
			"/critical/?fencingToken=1" })
	void deleteOfALockNamedInThePathIsABadRequest(String path) throws Exception {
		LockHandle critical = this.other.acquire(LockTarget.of("critical"), LONG);
		LockHandle parted = this.other.acquire(LockTarget.of("a/b"), LONG);

		HttpResponse<String> reply = delete(path);

		assertThat(reply.statusCode()).isEqualTo(400);
		assertThat(reply.body()).contains("?name=");
		assertThat(critical.verify()).isTrue();
		assertThat(parted.verify()).isTrue();
	}

	@Test
	void lockNamedTwiceIsABadRequest() throws Exception {
		this.other.acquire(LockTarget.of("critical"), LONG);

		assertThat(get("/harmless?name=critical").statusCode()).isEqualTo(400);
		assertThat(get("/critical?name=critical").statusCode()).isEqualTo(400);
	}

	@ParameterizedTest
	@CsvSource({ "405, endpoints.web.exposure.include=locks", "200, endpoints.access.default=unrestricted",
			"405, endpoints.access.default=unrestricted endpoint.locks.access=read-only",
			"405, endpoints.access.max-permitted=read-only endpoint.locks.access=unrestricted" })
	void deleteIsRefusedUnlessTheAccessPropertiesOfActuatorAllowIt(int status, String properties) throws Exception {
		this.other.acquire(ORDER, LONG);
		try (ConfigurableApplicationContext application = start(
				Stream.of(properties.split(" ")).map("--management."::concat).toArray(String[]::new))) {
			assertThat(send("GET", url(application) + "/order:42").statusCode()).isEqualTo(200);
			assertThat(send("DELETE", url(application) + "?name=order:42").statusCode()).isEqualTo(status);
		}
		assertThat(this.other.isLocked(ORDER)).isEqualTo(status != 200);
	}

	@Test
	void unreachableStoreIsReportedAsUnavailable() throws Exception {
		try (ConfigurableApplicationContext lonely = start("--spring.data.redis.port=1",
				"--management.endpoint.locks.access=unrestricted")) {
			assertThat(send("GET", url(lonely)).statusCode()).as("local").isEqualTo(200);
			assertThat(send("GET", url(lonely) + "/order:42").statusCode()).isEqualTo(503);
			assertThat(send("DELETE", url(lonely) + "?name=order:42").body()).contains("order:42");
		}
	}

	@Test
	void locksInMemoryAreShownAndReleasedByForce() throws Exception {
		try (ConfigurableApplicationContext alone = start("--redis-lock.store=in-memory",
				"--management.endpoint.locks.access=unrestricted")) {
			LockHandle held = alone.getBean(RedisLockTemplate.class).acquire(ORDER, LONG);
			CompletableFuture<Void> lost = lossOf(held);
			assertThat(json(send("GET", url(alone))).get("held").get(0).get("name").asString()).isEqualTo("order:42");
			assertThat(send("GET", url(alone) + "/order:42").statusCode()).isEqualTo(200);

			assertThat(send("DELETE", url(alone) + "?name=order:42").statusCode()).isEqualTo(200);

			lost.get(20, TimeUnit.SECONDS);
			assertThat(send("GET", url(alone) + "/order:42").statusCode()).isEqualTo(404);
		}
	}

	/**
	 * Return a hold that was passed on within the other instance, or {@code null} if that
	 * instance had to send a request.
	 */
	private @Nullable LockHandle passedOn() throws Exception {
		LockHandle first = this.other.acquire(ORDER, LONG);
		CompletableFuture<LockHandle> next = acquireLater(this.other, ORDER);
		first.close();
		LockHandle held = next.get(20, TimeUnit.SECONDS);
		if (held.fencingToken() == first.fencingToken() + 1) {
			return held;
		}
		held.close();
		return null;
	}

	/**
	 * Acquire a busy lock on another thread, which waits when this method returns.
	 */
	private static CompletableFuture<LockHandle> acquireLater(RedisLockTemplate locks, LockTarget target) {
		int before = locks.local().waiting().size();
		CompletableFuture<LockHandle> acquired = CompletableFuture.supplyAsync(() -> locks.acquire(target, LONG),
				OwnThread::run);
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> locks.local().waiting().size() > before);
		return acquired;
	}

	private static ConfigurableApplicationContext start(String... arguments) {
		return new SpringApplicationBuilder(Application.class).web(WebApplicationType.SERVLET)
			.properties("server.port=0", "management.endpoints.web.exposure.include=locks",
					"spring.data.redis.host=" + TestRedis.shared().host(),
					"spring.data.redis.port=" + TestRedis.shared().port())
			.run(arguments);
	}

	/**
	 * Wait until every instance that holds a lock would be notified.
	 */
	private void awaitListeners() {
		Awaitility.await("subscribed")
			.atMost(Duration.ofSeconds(20))
			.untilAsserted(() -> assertThat(connecting()).isSubsetOf(this.connectingBefore));
	}

	private static Set<Thread> connecting() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().equals("redis-lock-connect"))
			.collect(Collectors.toSet());
	}

	/**
	 * Return a template that runs an action after the first inspection of a lock.
	 */
	private static RedisLockTemplate operator(Runnable meanwhile) {
		return operator(TestRedis.shared().connectionFactory(), meanwhile);
	}

	private static RedisLockTemplate operator(RedisConnectionFactory redis, Runnable meanwhile) {
		AtomicBoolean looked = new AtomicBoolean();
		return new RedisLockTemplate(RedisLockStore.create(redis, RedisLockStoreOptions.defaults()),
				LockConfiguration.defaults()) {

			@Override
			public Optional<LockState> inspect(LockTarget target) {
				Optional<LockState> seen = super.inspect(target);
				if (looked.compareAndSet(false, true)) {
					meanwhile.run();
				}
				return seen;
			}

		};
	}

	private static WebEndpointResponse<Object> forceRelease(RedisLockTemplate operator, String name) {
		return new LocksEndpoint(operator, application, List.of()).forceRelease(user("alice"), name, null, null);
	}

	private static ForcedRelease result(WebEndpointResponse<Object> reply) {
		return (ForcedRelease) Objects.requireNonNull(reply.getBody());
	}

	private static SecurityContext user(String name) {
		return new SecurityContext() {

			@Override
			public Principal getPrincipal() {
				return () -> name;
			}

			@Override
			public boolean isUserInRole(String role) {
				return false;
			}

		};
	}

	private static CompletableFuture<Void> lossOf(LockHandle lock) {
		CompletableFuture<Void> lost = new CompletableFuture<>();
		lock.onLost(() -> lost.complete(null));
		return lost;
	}

	private static JsonNode named(JsonNode all, String name) {
		for (JsonNode one : all) {
			if (one.get("name").asString().equals(name)) {
				return one;
			}
		}
		throw new AssertionError("No lock '" + name + "' in " + all);
	}

	private static JsonNode json(HttpResponse<String> reply) {
		return JsonMapper.shared().readTree(reply.body());
	}

	private static HttpResponse<String> get(String path) throws IOException, InterruptedException {
		return send("GET", url(application) + path);
	}

	private static HttpResponse<String> delete(String path) throws IOException, InterruptedException {
		return send("DELETE", url(application) + path);
	}

	private static HttpResponse<String> send(String method, String url) throws IOException, InterruptedException {
		return client.send(HttpRequest.newBuilder(URI.create(url))
			.timeout(Duration.ofSeconds(60))
			.method(method, HttpRequest.BodyPublishers.noBody())
			.build(), HttpResponse.BodyHandlers.ofString());
	}

	private static String url(ConfigurableApplicationContext context) {
		return "http://localhost:%s/actuator/locks"
			.formatted(context.getEnvironment().getProperty("local.server.port"));
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration(exclude = AuditAutoConfiguration.class)
	static class Application {

		@Bean
		InMemoryAuditEventRepository auditEvents() {
			return new InMemoryAuditEventRepository();
		}

		// Spring Boot's own listener needs Spring Security.
		@Bean
		AuditListener auditListener(InMemoryAuditEventRepository events) {
			return new AuditListener(events);
		}

		@Bean
		ApplicationListener<AuditApplicationEvent> failingAudit(Environment environment) {
			return (event) -> {
				if (environment.containsProperty("audit")) {
					throw new IllegalStateException("The audit log is full");
				}
			};
		}

	}

}
