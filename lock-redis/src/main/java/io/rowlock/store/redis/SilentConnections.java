package io.rowlock.store.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.flush.FlushConsolidationHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.rowlock.store.DaemonThreads;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a connection that has gone silent: commands wait for answers, and nothing has come for a time. Such is one whose packets a
 * network drops, or whose server has lost its power. The driver would send one command after the other on it, until the operating system
 * gives it up after many minutes.
 *
 * @param inner what else is done to a new connection
 * @param limit after how long silence means that the connection is dead
 */
record SilentConnections(NettyCustomizer inner, Duration limit) implements NettyCustomizer {
    /**
     * The number of commands that are sent together, at most, of threads that send at the same time. With more, the server has nothing
     * to do until all have sent, and then they have nothing to do until it has answered all.
     */
    private static final int MOST_TOGETHER = 2;

    /** A sixth of the limit, at most, passes before the first look. */
    private static final int PARTS = 6;

    private static final Logger log = LoggerFactory.getLogger(SilentConnections.class);

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        inner.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        inner.afterChannelInitialized(channel);
        channel.pipeline().addFirst(new FlushConsolidationHandler(MOST_TOGETHER, true), new Listener(limit));
    }

    /** Of one connection, whose thread alone calls it: after each part of the limit in which nothing has come. */
    private static final class Listener extends IdleStateHandler {
        private final Duration limit;

        /** The number of looks, one after the other, that found commands waiting, with nothing heard in between. */
        private int silent;

        Listener(Duration limit) {
            super(limit.toNanos() / PARTS, 0, 0, TimeUnit.NANOSECONDS);
            this.limit = limit;
        }

        @Override
        protected void channelIdle(ChannelHandlerContext context, IdleStateEvent event) {
            CommandHandler commands = context.pipeline().get(CommandHandler.class);
            boolean waits = commands != null && !commands.getStack().isEmpty();
            silent = event.isFirst() || !waits ? 0 : silent;
            silent += waits ? 1 : 0;
            if (silent > PARTS) {
                SocketAddress silentOne = context.channel().remoteAddress();
                var unused = context.close(); // first: with an error here, Lettuce would give each answer to the next
                // command
                DaemonThreads.warn(log, "{} has not answered for {}; the connection is made anew", silentOne, limit);
            }
        }
    }
}
