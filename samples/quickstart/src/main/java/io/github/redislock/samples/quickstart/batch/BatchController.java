package io.github.redislock.samples.quickstart.batch;

import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/batches/{batchId}")
class BatchController {

	private final Batches batches;

	BatchController(Batches batches) {
		this.batches = batches;
	}

	@PostMapping
	BatchStatus start(@PathVariable String batchId) {
		return this.batches.start(batchId);
	}

	@GetMapping
	BatchStatus find(@PathVariable String batchId) {
		return this.batches.find(batchId);
	}

}
