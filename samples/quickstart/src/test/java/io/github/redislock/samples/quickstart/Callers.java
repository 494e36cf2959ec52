package io.github.redislock.samples.quickstart;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Many users, whose requests go to all instances in turn.
 */
public class Callers {

	private static final JsonMapper json = new JsonMapper();

	private final HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

	private final List<Integer> ports;

	public Callers(Integer... ports) {
		this.ports = List.of(ports);
	}

	/**
	 * Send several requests at the same time, and return all responses.
	 */
	public List<Reply> together(int count, String method, String path) {
		List<CompletableFuture<HttpResponse<String>>> replies = IntStream.range(0, count)
			.mapToObj((caller) -> send(this.ports.get(caller % this.ports.size()), method, path))
			.toList();
		return replies.stream().map(CompletableFuture::join).map(Reply::of).toList();
	}

	public Reply ask(String method, String path) {
		return together(1, method, path).get(0);
	}

	private CompletableFuture<HttpResponse<String>> send(int port, String method, String path) {
		HttpRequest request = HttpRequest.newBuilder(URI.create("http://localhost:%d%s".formatted(port, path)))
			.method(method, BodyPublishers.noBody())
			.build();
		return this.client.sendAsync(request, BodyHandlers.ofString());
	}

	public record Reply(int status, HttpHeaders headers, JsonNode body) {

		static Reply of(HttpResponse<String> response) {
			return new Reply(response.statusCode(), response.headers(), json.readTree(response.body()));
		}

		public String text(String field) {
			return this.body.path(field).asString();
		}

	}

}
