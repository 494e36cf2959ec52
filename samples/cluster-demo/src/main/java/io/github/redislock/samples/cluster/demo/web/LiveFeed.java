package io.github.redislock.samples.cluster.demo.web;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import io.github.redislock.samples.cluster.demo.timeline.Timeline;
import io.github.redislock.samples.cluster.demo.timeline.Update;

import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * Sends each page the latest events, and then each new event.
 * <p>
 * A single thread sends all events, so no worker waits for a page, and each page gets the
 * events in order. An event may be sent twice with the same ID.
 */
@Component
class LiveFeed implements DisposableBean {

	private final Timeline timeline;

	private final ExecutorService sender = Executors.newSingleThreadExecutor((task) -> new Thread(task, "feed"));

	/**
	 * The open pages. This field and the one below are used only by the sending thread.
	 */
	private final List<SseEmitter> pages = new ArrayList<>();

	private boolean ended;

	LiveFeed(Timeline timeline) {
		this.timeline = timeline;
	}

	SseEmitter open() {
		SseEmitter page = new SseEmitter(0L);
		this.sender.execute(() -> {
			if (this.ended) {
				page.complete();
			}
			else if (send(page, "snapshot", this.timeline.snapshot())) {
				this.pages.add(page);
			}
		});
		return page;
	}

	/**
	 * End the request of each open page. Otherwise, the web server would report each as
	 * timed out when it stops.
	 */
	@EventListener(ContextClosedEvent.class)
	void end() {
		CompletableFuture.runAsync(() -> {
			this.ended = true;
			this.pages.forEach(SseEmitter::complete);
			this.pages.clear();
		}, this.sender).completeOnTimeout(null, 1, TimeUnit.SECONDS).join();
	}

	@EventListener
	void on(Update update) {
		if (!this.sender.isShutdown()) {
			this.sender.execute(() -> this.pages.removeIf((page) -> !send(page, "update", update)));
		}
	}

	@Override
	public void destroy() {
		this.sender.shutdownNow();
	}

	private static boolean send(SseEmitter page, String name, Object data) {
		try {
			page.send(SseEmitter.event().name(name).data(data));
			return true;
		}
		catch (IOException | IllegalStateException ex) {
			// The page was closed.
			return false;
		}
	}

}
