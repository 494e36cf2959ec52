package io.github.redislock.samples.cluster.demo;

import java.io.IOException;

import io.github.redislock.samples.cluster.demo.timeline.DemoEvent;
import io.github.redislock.samples.cluster.message.Kind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * The control experiment: violations are counted if each worker has a separate lock.
 */
@Tag("thorough")
class BrokenLockTests {

	@Test
	@Tag("promise-processes-violate")
	void violationsOfABrokenLockAreDetected() throws IOException {
		try (RunningDemo demo = RunningDemo.start("--cluster-demo.broken=true", "--cluster-demo.lease=1s",
				"--cluster-demo.workers=2", "--cluster-demo.hang-chance=0", "--cluster-demo.freeze-chance=0",
				"--cluster-demo.kill-chance=0"); Browser browser = Browser.open(demo.url(), 1320, 1000)) {
			demo.await(() -> demo.counters().violations() > 2);

			assertThat(demo.since(0, Kind.VIOLATION)).extracting(DemoEvent::text)
				.anyMatch((text) -> text.contains("hold the lock at the same time"))
				.anyMatch((text) -> text.contains("holds the lock with token"));
			assertThat(demo.counters().handOvers()).isZero();
			demo.await(() -> (boolean) browser.run("""
					const bars = [...document.querySelectorAll('#picture .bar')];
					const boxes = bars.map((bar) => bar.getBoundingClientRect());
					return boxes.some((one) => boxes.some((other) => other.top > one.top
						&& Math.min(one.right, other.right) - Math.max(one.left, other.left) > 10));"""));
		}
	}

}
