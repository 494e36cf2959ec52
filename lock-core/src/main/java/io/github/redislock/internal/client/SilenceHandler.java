package io.github.redislock.internal.client;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;

/**
 * Closes a connection on which no reply arrives for some time, because the connection may
 * be dead, which TCP notices only after minutes. Lettuce then reconnects.
 * <p>
 * Used only by the event loop of its connection.
 */
final class SilenceHandler extends ChannelDuplexHandler {

	private final long limitNanos;

	private boolean waiting;

	private long waitingSince;

	SilenceHandler(Duration limit) {
		this.limitNanos = limit.toNanos();
	}

	@Override
	public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) throws Exception {
		super.write(context, message, promise);
		if (!this.waiting) {
			this.waiting = true;
			this.waitingSince = System.nanoTime();
			context.executor().schedule(() -> check(context), this.limitNanos, TimeUnit.NANOSECONDS);
		}
	}

	@Override
	public void channelRead(ChannelHandlerContext context, Object message) throws Exception {
		this.waiting = false;
		super.channelRead(context, message);
	}

	private void check(ChannelHandlerContext context) {
		// If the current wait began later than this check was scheduled, a reply has
		// arrived in between, and another check is scheduled.
		if (this.waiting && System.nanoTime() - this.waitingSince >= this.limitNanos) {
			context.close();
		}
	}

}
