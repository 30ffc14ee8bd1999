package io.rowlock.store.jdbc.lease;

import static java.util.concurrent.TimeUnit.SECONDS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rowlock.LockMode;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.WaitQueue;
import io.rowlock.store.WaitQueue.QueuePosition;
import io.rowlock.store.jdbc.session.LastThread;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.TablePrefix.Table;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** The end of the connection of a position. */
class NamedLockPositionTests {
    private static final String DISCARDED = "rollback";
    private static final String NAME = NamedLocks.name(LeaseTable.PREFIX.of(Table.LOCK), "?");
    private static final String GET_LOCK = "SELECT GET_LOCK(%s, ?)".formatted(NAME);
    private static final String RELEASE_LOCK = "DO RELEASE_LOCK(%s)".formatted(NAME);

    /** The calls that the connection got. */
    private final List<String> done = new CopyOnWriteArrayList<>();

    private final CompletableFuture<Void> connected = new CompletableFuture<>();
    private volatile CompletableFuture<Integer> answer = new CompletableFuture<>();

    private final DataSource pool = proxy(DataSource.class, (proxy, method, arguments) -> {
        if (!method.getName().equals("getConnection")) {
            return false;
        }
        done.add("asked");
        connected.get(20, SECONDS);
        return connection();
    });
    private final NamedLocks namedLocks = new NamedLocks(pool, 2, Duration.ofSeconds(3));
    private final WaitQueue queue = new LeaseStore(
                    new LockDatabase(pool, 8, Duration.ofSeconds(3)), LeaseTable.PREFIX, namedLocks, null)
            .queue();

    @Test
    void refusalForgesNoLine() throws SQLException {
        Logger logger = (Logger) LoggerFactory.getLogger(NamedLocks.class);
        ListAppender<ILoggingEvent> seen = new ListAppender<>();
        seen.start();
        logger.addAppender(seen);
        logger.setLevel(Level.INFO);
        try {
            namedLocks.requireRefusal(new SQLException("not supported\nWARN forged", "42000", 1235));
        } finally {
            logger.setLevel(null);
            logger.detachAppender(seen);
        }
        assertThat(List.copyOf(seen.list))
                .extracting(ILoggingEvent::getFormattedMessage)
                .anyMatch(line -> line.endsWith("not supported\\nWARN forged"));
    }

    private Connection connection() {
        return proxy(Connection.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "prepareStatement" -> statement(String.valueOf(arguments[0]));
            default -> {
                done.add(method.getName());
                yield null;
            }
        });
    }

    private PreparedStatement statement(String sql) {
        CompletableFuture<Integer> present = answer;
        return proxy(PreparedStatement.class, (proxy, method, arguments) -> switch (method.getName()) {
            case "execute" -> {
                done.add(sql);
                yield true;
            }
            case "getResultSet" -> {
                long got = present.get(20, SECONDS);
                AtomicBoolean isRead = new AtomicBoolean();
                yield proxy(ResultSet.class, (row, reading, column) -> switch (reading.getName()) {
                    case "next" -> !isRead.getAndSet(true);
                    case "getLong" -> got;
                    default -> null;
                });
            }
            case "executeUpdate" -> {
                done.add(sql);
                yield 0;
            }
            default -> null;
        });
    }

    private static <T> T proxy(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }

    private QueuePosition join(Duration timeLimit) {
        return queue.join(new LeaseRequest(
                        "a key", LockMode.EXCLUSIVE, "an owner", Duration.ofSeconds(30), 1, timeLimit, 0))
                .orElseThrow();
    }

    private QueuePosition waiting(Duration timeLimit) {
        connected.complete(null);
        QueuePosition position = join(timeLimit);
        awaitDone(GET_LOCK);
        return position;
    }

    private void awaitDone(String what) {
        await().until(() -> done.contains(what));
    }

    @AfterEach
    void end() {
        connected.complete(null);
        answer.complete(0);
        namedLocks.close();
    }

    @Test
    void connectionWhoseWaitIsBrokenOffIsNotReusedThoughItsTurnCame() {
        QueuePosition position = waiting(Duration.ofMinutes(1));
        position.close();
        awaitDone("abort");
        answer.complete(1);
        position.close();
        awaitDone("close");
        assertThat(done).contains(RELEASE_LOCK, DISCARDED);
    }

    @Test
    void waitIsBrokenOffThoughNoThreadCanBeginForThat() throws Exception {
        QueuePosition position = waiting(Duration.ofMinutes(1));
        boolean left = LastThread.call(() -> {
            position.close();
            return true;
        });
        assertThat(left).isTrue();
        assertThat(done).contains("abort");
    }

    @Test
    void positionThatIsTheFirstIsLeftAndItsConnectionReused() throws Exception {
        QueuePosition position = waiting(Duration.ofMinutes(1));
        answer.complete(1);
        position.await(Duration.ofSeconds(20));
        position.close();
        awaitDone("close");
        assertThat(done).contains(RELEASE_LOCK).doesNotContain("abort", DISCARDED);
    }

    @Test
    void waitThatEndsSoonIsNotBrokenOff() {
        QueuePosition position = waiting(Duration.ofSeconds(1));
        position.close();
        answer.complete(0);
        awaitDone("close");
        assertThat(done).doesNotContain("abort", DISCARDED, RELEASE_LOCK);
    }

    @Test
    void positionThatIsLeftBeforeItHasAConnectionAsksForNothing() {
        QueuePosition position = join(Duration.ofMinutes(1));
        awaitDone("asked");
        position.close();
        connected.complete(null);
        awaitDone("close");
        assertThat(done).doesNotContain("abort", DISCARDED, GET_LOCK);
    }

    @Test
    void waiterJoinsAgainOnceItsWaitInTheServerIsOver() throws Exception {
        try (QueuePosition position = waiting(Duration.ofMinutes(1))) {
            CompletableFuture<Integer> over = answer;
            answer = new CompletableFuture<>();
            over.complete(0);
            awaitDone("close");
            await().until(() -> {
                position.await(Duration.ofMillis(100));
                return done.stream().filter(GET_LOCK::equals).count() == 2;
            });
            assertThat(FreePositions.of(namedLocks)).as("of two").isOne();
        }
    }
}
