package io.github.redislock.samples.quickstart;

import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.context.SpringBootTest.WebEnvironment;
import org.springframework.boot.test.web.server.LocalServerPort;

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
