package io.github.redislock.docs;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;

import io.github.redislock.AsyncLockOperations;
import io.github.redislock.LockHandle;
import io.github.redislock.LockOperations;
import io.github.redislock.fencing.JdbcFence;
import io.github.redislock.leadership.Leadership;
import io.github.redislock.reactive.ReactiveLockOperations;
import io.github.redislock.redis.RedisLockTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.NullUnmarked;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * The types and beans of a shop that the code in the documentation assumes. The code is
 * compiled against it but never run.
 */
@NullUnmarked
public final class Surroundings {

	public static RedisLockTemplate locks;

	public static AsyncLockOperations async;

	public static ReactiveLockOperations reactive;

	public static LettuceConnectionFactory connectionFactory;

	public static TransactionTemplate transactions;

	public static MeterRegistry meterRegistry;

	public static ObservationRegistry observationRegistry;

	public static JdbcFence fence;

	public static Executor executor;

	public static Repository repository;

	public static Warehouse warehouse;

	public static Ledger ledger;

	public static Payments payments;

	public static Charges charges;

	public static Bank bank;

	public static Table table;

	public static Mails mails;

	public static Mailbox mailbox;

	public static Leadership mailer;

	public static Reports reports;

	public static Catalogue catalogue;

	public static Alarm alarm;

	public static Order order;

	public static Entry entry;

	public static Amount amount;

	public static String id;

	public static String sku;

	public static String user;

	public static String from;

	public static String to;

	private Surroundings() {
	}

	/**
	 * A condition that the compiler cannot evaluate, so that statements after a return
	 * compile.
	 */
	public static boolean always() {
		return true;
	}

	public static String work(LockHandle lock) {
		return lock.name();
	}

	public static void transfer(String debtor, String creditor, Amount sum) {
	}

	public record Amount(long cents) {
	}

	public record Basket(String id) {
	}

	public record Cart(List<Item> items) {
	}

	public record Entry(Amount amount) {
	}

	public record Export(String file) {
	}

	public record Invoice(String orderId) {
	}

	public record Item(String sku, int quantity) {
	}

	public record Order(String id, String sku, int quantity) {
	}

	public record Page(int number) {
	}

	public record Price(String product, Amount amount) {
	}

	public record Quote(Amount amount) {
	}

	public record Receipt(String orderId) {
	}

	public record Row(String text) {
	}

	public record Stock(String sku, int quantity) {

		public Stock minus(int pieces) {
			return new Stock(this.sku, this.quantity - pieces);
		}

	}

	public record User(String id) {
	}

	public record Limits(int calls) {
	}

	public static class Inventory {

		public Inventory(LockOperations locks) {
		}

		public int take(String article) {
			return article.length();
		}

	}

	public interface Alarm {

		void raise(String lock);

	}

	public interface Bank {

		Receipt charge(String orderId);

	}

	public interface Catalogue {

		Price load(String product);

		Collection<Page> pages();

		void write(Page page);

	}

	public interface Charges {

		Optional<Receipt> find(String orderId);

		Receipt save(Receipt receipt);

	}

	public interface Ledger {

		Receipt book(Receipt paid, long token);

		void append(Entry entry, long token);

		void append(String account, Entry entry);

	}

	public interface Mailbox {

		void open(long term);

		void poll();

		void close();

	}

	public interface Mails {

		CompletableFuture<Receipt> send(String user);

	}

	public interface Payments {

		Receipt pay(String orderId);

		Mono<Receipt> pay(Order order, long token);

		CompletableFuture<Receipt> payAsync(Order order);

	}

	public interface Reports {

		void writeDaily();

	}

	public interface Repository {

		void decrease(String product, int quantity);

	}

	public interface Table {

		Flux<Row> findAll();

		Mono<Order> reserve(Order order);

	}

	public interface Warehouse {

		Stock find(String sku);

		void save(Stock stock);

	}

}
