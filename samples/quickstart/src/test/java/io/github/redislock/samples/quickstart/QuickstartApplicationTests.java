package io.github.redislock.samples.quickstart;

import org.junit.jupiter.api.Tag;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

/**
 * Tests the promises of the shop with a single instance.
 */
@Tag("thorough")
@SpringBootTest(webEnvironment = WebEnvironment.RANDOM_PORT,
		properties = { ShopPromises.WORK_TIME, ShopPromises.WAIT_TIME })
class QuickstartApplicationTests extends ShopPromises {

	@LocalServerPort
	private int port;

	@Override
	Callers callers() {
		return new Callers(this.port);
	}

}
