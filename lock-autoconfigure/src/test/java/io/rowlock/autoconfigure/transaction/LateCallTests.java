package io.rowlock.autoconfigure.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.FencingTokens;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.StaleTokenException;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.AfterServer;
import io.rowlock.test.BeforeServer;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.database.DatabaseServer;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** An application that sends under a lock, and others that receive, each with a database of its own. */
@OnEachServer
class LateCallTests {
    private static FreshSchema senders;
    private static ConfigurableApplicationContext sender;
    private static OtherNode secondSender;

    @BeforeServer
    static void start(DatabaseServer server) {
        senders = FreshSchema.on(server);
        sender = new TestApplication(senders).start();
        secondSender = OtherNode.on(senders);
    }

    @AfterServer
    static void stop() {
        if (sender != null) {
            secondSender.close();
            sender.close();
            senders.close();
        }
    }

    @Test
    void receiverWithLocksRefusesTheCallOfThePausedSender(DatabaseServer server) {
        refusesTheCallOfThePausedSender(server, new Class<?>[] {Payments.class}, true);
    }

    @Test
    void receiverWithoutLocksRefusesTheCallOfThePausedSender(DatabaseServer server) {
        refusesTheCallOfThePausedSender(server, new Class<?>[] {WithoutLocks.class, Payments.class}, false);
    }

    private static void refusesTheCallOfThePausedSender(DatabaseServer server, Class<?>[] sources, boolean locks) {
        try (FreshSchema schema = FreshSchema.on(server)) {
            schema.jdbc().execute("CREATE TABLE payment (id INT PRIMARY KEY)");
            if (!locks) {
                schema.jdbc()
                        .execute("CREATE TABLE rowlock_token (lock_key VARBINARY(255) NOT NULL, token BIGINT NOT NULL,"
                                + " seen_at DATETIME(6) NOT NULL, PRIMARY KEY (lock_key)) ENGINE = InnoDB");
            }
            try (ConfigurableApplicationContext receiver = new TestApplication(schema, sources)
                    .with("rowlock.enabled", locks)
                    .start()) {
                assertThat(receiver.getBeansOfType(LockClient.class)).hasSize(locks ? 1 : 0);
                send(receiver.getBean(Payments.class), schema.schema().name());
                assertThat(schema.jdbc().queryForList("SELECT id FROM payment ORDER BY id", Integer.class))
                        .containsExactly(1, 2, 4);
            }
        }
    }

    private static void send(Payments payments, String key) {
        HeldLock paused = sender.getBean(LockClient.class).acquire(LockRequest.exclusive(key));
        payments.pay(key, paused.fencingToken(), 1);
        payments.pay(key, paused.fencingToken(), 2);
        try (HeldLock later = secondSender.takeOver(key)) {
            payments.pay(key, later.fencingToken(), 4);
            assertThatExceptionOfType(StaleTokenException.class)
                    .isThrownBy(() -> payments.pay(key, paused.fencingToken(), 3))
                    .satisfies(stale -> assertThat(stale.seen()).isEqualTo(later.fencingToken()));
        }
        paused.close();
    }

    @Configuration(proxyBeanMethods = false)
    static class WithoutLocks {
        @Bean
        FencingTokens tokens(DataSource dataSource) {
            return FencingTokens.of(dataSource);
        }
    }

    static class Payments {
        private final FencingTokens tokens;
        private final JdbcTemplate jdbc;

        Payments(FencingTokens tokens, JdbcTemplate jdbc) {
            this.tokens = tokens;
            this.jdbc = jdbc;
        }

        /** Requires the token last: what was written before it is rolled back. */
        @Transactional
        public void pay(String key, long token, int id) {
            jdbc.update("INSERT INTO payment VALUES (?)", id);
            tokens.require(key, token);
        }
    }
}
