package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** An application whose own connections speak Latin 1, in which all of these keys are question marks. */
@OnServer
class Utf8ConnectionTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema();

    @ParameterizedTest
    @ValueSource(strings = {"lease", "unique-key", "row-lock"})
    void keysOfAllCharactersExcludeEachOtherAndComeBack(String strategy) {
        try (ConfigurableApplicationContext plain = new TestApplication(schema).start();
                ConfigurableApplicationContext latin = new TestApplication(schema)
                        .with("spring.datasource.url", latin(schema.schema().jdbcUrl()))
                        .start()) {
            LockRequest request = LockRequest.exclusive("订单😀").withStrategy(strategy);
            LockRequest alike = LockRequest.exclusive("货单😁").withStrategy(strategy);
            LockClient here = latin.getBean(LockClient.class);
            LockClient there = plain.getBean(LockClient.class);
            try (HeldLock held = here.acquire(request);
                    HeldLock other = here.tryAcquire(alike).orElseThrow()) {
                assertThat(held.key()).isNotEqualTo(other.key());
                assertThat(there.tryAcquire(request)).isEmpty();
                assertThat(there.tryAcquire(alike)).isEmpty();
            }
            there.tryAcquire(request).orElseThrow().close();
            Awaitility.await()
                    .untilAsserted(() -> assertThat(schema.jdbc()
                                    .queryForList("SELECT DISTINCT HEX(lock_key) FROM rowlock_lock_log", String.class))
                            .containsExactlyInAnyOrder("E8AEA2E58D95F09F9880", "E8B4A7E58D95F09F9881"));
        }
    }

    private static String latin(String url) {
        return url + (url.contains("?") ? "&" : "?")
                + "characterEncoding=ISO-8859-1&characterSetResults=latin1&connectionCollation=latin1_swedish_ci";
    }
}
