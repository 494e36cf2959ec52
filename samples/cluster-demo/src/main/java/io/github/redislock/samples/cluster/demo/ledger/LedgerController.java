package io.github.redislock.samples.cluster.demo.ledger;

import io.github.redislock.fencing.StaleFencingTokenException;
import io.github.redislock.samples.cluster.demo.ledger.FencedLedger.Verdict;
import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import io.github.redislock.samples.cluster.message.Claim;
import io.github.redislock.samples.cluster.message.Kind;

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The ledger's API for the workers.
 */
@RestController
@RequestMapping("/ledger")
class LedgerController {

	private final FencedLedger ledger;

	private final Timeline timeline;

	LedgerController(FencedLedger ledger, Timeline timeline) {
		this.ledger = ledger;
		this.timeline = timeline;
	}

	@PostMapping
	boolean write(@RequestBody Claim claim) {
		Verdict verdict = this.ledger.write(claim);
		verdict.violations()
			.forEach((text) -> this.timeline.record(Kind.VIOLATION, claim.worker(), claim.token(), text));
		StaleFencingTokenException refusal = verdict.refusal();
		if (refusal != null && !verdict.claimed()) {
			this.timeline.record(Kind.REFUSED, claim.worker(), claim.token(),
					"wrote too late and was refused: token %d is older than %d of %s".formatted(claim.token(),
							refusal.getNewestToken(), refusal.getNewestHolder()));
		}
		return verdict.accepted();
	}

	@DeleteMapping("/{worker}/{token}")
	void leave(@PathVariable String worker, @PathVariable long token) {
		this.ledger.leave(worker, token);
		if (token != 0) {
			this.timeline.record(Kind.DONE, worker, token, "has finished its work");
		}
	}

}
