package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * The path of an uncontended call through the code, from the annotated method to the statement and back, is short enough to be
 * read. MySQL only: the driver is asked where its statements come from.
 */
@OnServer(ServerFlavor.MYSQL)
class CallDepthTests {
    private static final List<Sent> SENT = new ArrayList<>();

    private static FreshSchema schema;
    private static ConfigurableApplicationContext context;

    /** A statement and the methods of this project that led to it, the innermost first. */
    private record Sent(Thread thread, String sql, List<String> frames) {
        static Sent now(String sql) {
            List<String> frames = Arrays.stream(Thread.currentThread().getStackTrace())
                    .filter(frame -> frame.getClassName().startsWith("io.rowlock."))
                    .filter(frame -> !frame.getClassName().contains("$$")) // a proxy
                    .filter(frame -> !frame.getClassName().startsWith(CallDepthTests.class.getName()))
                    .map(StackTraceElement::toString)
                    .toList();
            return new Sent(Thread.currentThread(), sql, frames);
        }
    }

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        String url = schema.schema().jdbcUrl();
        context = new TestApplication(schema, Beans.class)
                .with(
                        "spring.datasource.url",
                        url + (url.contains("?") ? "&" : "?") + "queryInterceptors=" + Recorder.class.getName())
                .start();
        context.getBean(Job.class).run(); // creates the row, and looks at the server
    }

    @AfterAll
    static void stop() {
        if (schema != null) {
            context.close();
            schema.close();
        }
    }

    @BeforeEach
    void call() {
        synchronized (SENT) {
            SENT.clear();
        }
        context.getBean(Job.class).run();
    }

    @Test
    void lockIsTakenWithinEighteenCalls() {
        assertThat(updates().get(0).frames()).hasSizeBetween(1, 18);
    }

    @Test
    void lockIsReleasedWithinFourteenCalls() {
        assertThat(updates().get(1).frames()).hasSizeBetween(1, 14);
    }

    /** One statement takes the lock, one releases it. */
    private static List<Sent> updates() {
        synchronized (SENT) {
            List<Sent> updates = SENT.stream()
                    .filter(sent -> sent.thread() == Thread.currentThread())
                    .filter(sent -> sent.sql().startsWith("UPDATE rowlock_lock"))
                    .toList();
            assertThat(updates).hasSize(2);
            return updates;
        }
    }

    /** Notes each statement of the driver. */
    public static final class Recorder implements QueryInterceptor {
        @Override
        public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
            return this;
        }

        @Override
        @SuppressWarnings("TypeParameterUnusedInFormals") // as the driver declares it
        public <T extends Resultset> T preProcess(Supplier<String> sql, Query intercepted) {
            synchronized (SENT) {
                SENT.add(Sent.now(String.valueOf(sql.get()).strip()));
            }
            return null;
        }

        @Override
        public boolean executeTopLevelOnly() {
            return true;
        }

        @Override
        public void destroy() {}

        @Override
        public <T extends Resultset> T postProcess(
                Supplier<String> sql, Query intercepted, T original, ServerSession session) {
            return original;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {
        @Bean
        Job job() {
            return new Job();
        }
    }

    static class Job {
        @DistributedLock(key = "'job'")
        void run() {}
    }
}
