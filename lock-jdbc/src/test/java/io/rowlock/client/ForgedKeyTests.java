package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.spi.FilterReply;
import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockRequest;
import io.rowlock.LockStoreException;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.OwnThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.slf4j.LoggerFactory;

/** A key that would begin a line of its own, or hide one, does not do so wherever people read it. */
@OnEachServer
class ForgedKeyTests extends ClientContract {
    private static final String KEY = "a\" is free\r\n03:14 WARN forged \u001b[2K\u0085\u2028\u2029\u202e\u2067";
    private static final String SHOWN =
            "a\" is free\\r\\n03:14 WARN forged \\u001b[2K\\u0085\\u2028\\u2029\\u202e\\u2067";
    private static final String OWNER = "node\r\nWARN forged";

    @RegisterExtension
    private static final OwnThreads THREADS = new OwnThreads("forged keys");

    private final Logger logger = (Logger) LoggerFactory.getLogger("io.rowlock");
    private final TurboFilter everyLevel = THREADS.filter(ForgedKeyTests::everyLevel);
    private final ListAppender<ILoggingEvent> seen = new OwnLines();
    private final List<String> read = new ArrayList<>();

    @BeforeEach
    void listen() {
        node = newNode(OWNER);
        logger.getLoggerContext().addTurboFilter(everyLevel);
        seen.start();
        logger.addAppender(seen);
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(seen);
        logger.getLoggerContext().getTurboFilterList().remove(everyLevel);
    }

    private List<String> lines() {
        return List.copyOf(seen.list).stream()
                .map(ILoggingEvent::getFormattedMessage)
                .toList();
    }

    /** What was read, and what was logged of the key, each in one line. */
    private void assertNothingIsForged(int linesOfTheKey) {
        await().until(() ->
                lines().stream().filter(line -> line.contains(SHOWN)).count() >= linesOfTheKey);
        assertThat(read).allMatch(text -> text.contains(SHOWN));
        assertThat(Stream.concat(lines().stream(), read.stream())).noneMatch(ForgedKeyTests::isForged);
        assertThat(node.events).extracting(LockEvent::key).containsOnly(KEY);
    }

    private static boolean isForged(String text) {
        return text.chars()
                .anyMatch(character ->
                        Character.isISOControl(character) || "\u2028\u2029\u202e\u2067".indexOf(character) >= 0);
    }

    private static LockRequest request() {
        return LockRequest.exclusive(KEY);
    }

    private void readMessageOf(org.assertj.core.api.ThrowableAssert.ThrowingCallable call) {
        Throwable thrown = catchThrowable(call);
        assertThat(thrown).isNotNull();
        read.add(String.valueOf(thrown.getMessage()));
    }

    @Test
    void inRefusals() {
        try (HeldLock held = node.client.acquire(request())) {
            read.add(held.toString());
            read.add(request().toString());
            readMessageOf(() -> rival.client.acquire(request().withWaitTime(ofMillis(50))));
            assertThat(read.get(2)).contains("node\\r\\nWARN forged");
            Lock view = rival.client.lock(KEY);
            read.add(view.toString());
            readMessageOf(view::unlock);
            readMessageOf(() -> Other.does(() -> {
                        Thread.currentThread().interrupt();
                        return rival.client.acquire(request().withWaitTime(ofSeconds(5)));
                    })
                    .get());
        }
        await().untilAsserted(() -> assertThat(node.events).isNotEmpty());
        node.events.forEach(event -> read.add(event.toString()));
        assertNothingIsForged(0);
    }

    @Test
    void inWhatBecomesOfALease() {
        HeldLock lost = node.client.acquire(request().withTtl(ofSeconds(6)));
        node.store.renewing = (leases, real) -> {
            throw new LockStoreException("off", null);
        };
        await().until(() -> node.count(LockEvent.Type.LOST, KEY) == 1);
        readMessageOf(() -> lost.ensureHeld(ofSeconds(1)));
        await().until(() -> table.isFree(KEY));
        rival.client.acquire(request()).close();
        lost.close();
        assertNothingIsForged(3); // at risk, lost, run out
        assertThat(rival.events).extracting(LockEvent::key).containsOnly(KEY);
    }

    @Test
    void inWhatAnOperatorDoes() {
        HeldLock held = node.client.acquire(request());
        assertThat(node.client.admin().release(KEY, "carol\nWARN", "no\u2028reason"))
                .hasSize(1);
        held.close();
        assertNothingIsForged(1);
        assertThat(lines()).anyMatch(line -> line.contains("by carol\\nWARN: no\\u2028reason"));
    }

    /** Keeps what this test's threads log. */
    private static final class OwnLines extends ListAppender<ILoggingEvent> {
        @Override
        protected void append(ILoggingEvent line) {
            if (THREADS.areCurrent()) {
                super.append(line);
            }
        }
    }

    /** Lets this test's threads log what Rowlock says at any level from debug on. */
    private static FilterReply everyLevel(Logger logger, Level level) {
        return logger.getName().startsWith("io.rowlock") && level.isGreaterOrEqual(Level.DEBUG)
                ? FilterReply.ACCEPT
                : FilterReply.NEUTRAL;
    }
}
