package io.rowlock.store.redis;

import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import io.rowlock.Printable;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one channel on which this store gets messages, and those who wait for them. A message may be lost with a connection: every
 * waiter asks now and then as well. Thread-safe; the driver calls it on a thread of its own, so it waits for nothing.
 */
final class Inbox extends RedisPubSubAdapter<String, String> {
    private static final Logger log = LoggerFactory.getLogger(Inbox.class);

    private final String channel;
    final long heartbeat;
    private final Runnable connection;
    private final AtomicLong checked;

    /** The waiters, by the nonces of their places. */
    final Map<Long, RedisPosition> tickets = new ConcurrentHashMap<>();

    /**
     * An inbox without a subscription.
     *
     * @param connection makes the connection for messages anew if it is dead, and waits for nothing
     */
    Inbox(RedisSettings settings, Runnable connection) {
        this.channel = settings.keyPrefix() + "c:" + UUID.randomUUID();
        this.heartbeat = settings.heartbeat().toNanos();
        this.connection = connection;
        this.checked = new AtomicLong(System.nanoTime());
    }

    String channel() {
        return channel;
    }

    @Override
    public void message(String from, String text) {
        try {
            Message.of(text).ifPresent(this::deliver);
        } catch (RuntimeException e) {
            log.warn("A message of Redis was not understood: {} ({})", Printable.of(text), Printable.of(e.toString()));
        }
    }

    private void deliver(Message message) {
        RedisPosition ticket = tickets.get(message.nonce());
        if (ticket != null) {
            ticket.deliver(message);
        }
    }

    /** Also after a reconnection: messages may have been lost meanwhile, so all ask. */
    @Override
    public void subscribed(String to, long count) {
        tickets.values().forEach(RedisPosition::wake);
    }

    /** A waiter has heard nothing for a heartbeat: perhaps nothing can be heard. All waiters together look once a heartbeat. */
    void check() {
        long last = checked.get();
        long now = System.nanoTime();
        if (now - last < heartbeat || !checked.compareAndSet(last, now)) {
            return;
        }
        try {
            connection.run();
        } catch (RedisException e) {
            log.debug("The connection for messages is being made anew", e);
        }
    }
}
