package io.github.redislock.internal.support;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

class DaemonThreadsTests {

	@Test
	void timerKeepsNeitherCancelledTasksNorAnIdleThread() {
		ScheduledThreadPoolExecutor timer = (ScheduledThreadPoolExecutor) DaemonThreads.timer("test");

		timer.schedule(() -> {
		}, 1, TimeUnit.HOURS).cancel(false);

		assertThat(timer.getQueue()).isEmpty();
		assertThat(timer.allowsCoreThreadTimeOut()).isTrue();
		assertThat(timer.getKeepAliveTime(TimeUnit.SECONDS)).isEqualTo(10);
		timer.shutdown();
	}

}
