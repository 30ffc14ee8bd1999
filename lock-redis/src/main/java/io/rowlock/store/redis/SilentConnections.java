package io.rowlock.store.redis;

import io.lettuce.core.protocol.CommandHandler;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
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
    private static final Logger log = LoggerFactory.getLogger(SilentConnections.class);

    @Override
    public void afterBootstrapInitialized(Bootstrap bootstrap) {
        inner.afterBootstrapInitialized(bootstrap);
    }

    @Override
    public void afterChannelInitialized(Channel channel) {
        inner.afterChannelInitialized(channel);
        channel.pipeline().addFirst(new Listener(limit.toNanos()));
    }

    /** Of one connection, whose thread alone calls it. */
    private static final class Listener extends ChannelDuplexHandler {
        private final long limit;

        /** When something was heard, or the first command was sent after all had been answered. */
        private long since;

        private boolean listening;

        Listener(long limit) {
            this.limit = limit;
        }

        @Override
        public void write(ChannelHandlerContext context, Object message, ChannelPromise promise) {
            if (!listening) {
                listening = true;
                since = System.nanoTime();
                listen(context, limit);
            }
            ChannelFuture unused = context.write(message, promise);
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            since = System.nanoTime();
            context.fireChannelRead(message);
        }

        private void listen(ChannelHandlerContext context, long nanos) {
            var unused = context.executor().schedule(() -> check(context), nanos, TimeUnit.NANOSECONDS);
        }

        private void check(ChannelHandlerContext context) {
            CommandHandler commands = context.pipeline().get(CommandHandler.class);
            if (commands == null || commands.getStack().isEmpty()) {
                listening = false;
                return;
            }
            long left = limit - (System.nanoTime() - since);
            if (left > 0) {
                listen(context, left);
                return;
            }
            log.warn(
                    "{} has not answered for {}; the connection is made anew",
                    context.channel().remoteAddress(),
                    Duration.ofNanos(limit));
            var unused = context.close();
        }
    }
}
