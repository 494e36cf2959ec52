package io.github.redislock.samples.quickstart.fencing;

import java.util.concurrent.CompletableFuture;

import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.samples.quickstart.web.Problem;

import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/fencing/{document}")
class FencingController {

	private final Documents documents;

	private final FencedDocuments fenced;

	FencingController(Documents documents, FencedDocuments fenced) {
		this.documents = documents;
		this.fenced = fenced;
	}

	@PostMapping
	void writeTooLate(@PathVariable String document) {
		this.documents.writeTooLate(document);
	}

	@PostMapping("/stopped")
	void writeAfterAStop(@PathVariable String document) {
		// The first holder goes on when the second one has written.
		this.fenced.write(document, "written by the first holder, too late", () -> CompletableFuture
			.runAsync(() -> this.fenced.write(document, "written by the second holder", () -> {
			}))
			.join());
	}

	@GetMapping
	ResponseEntity<Document> document(@PathVariable String document) {
		return ResponseEntity.of(this.documents.find(document));
	}

	@ExceptionHandler
	ProblemDetail stale(StaleFencingTokenException ex) {
		ProblemDetail problem = Problem.of(HttpStatus.CONFLICT, "Stale holder", ex.getMessage());
		problem.setProperty("token", ex.getToken());
		problem.setProperty("newestToken", ex.getNewestToken());
		return problem;
	}

}
