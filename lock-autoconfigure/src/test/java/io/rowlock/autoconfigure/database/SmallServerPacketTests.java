package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.LockClient;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.LockStore;
import io.rowlock.store.LockStore.Renewal;
import io.rowlock.store.jdbc.lease.LeaseStore;
import io.rowlock.store.jdbc.lease.UniqueKeyStore;
import io.rowlock.test.KillableServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.context.ConfigurableApplicationContext;

/** A server that takes no more than 16 KiB at once. */
@EnabledOnOs(value = OS.LINUX, architectures = "amd64")
class SmallServerPacketTests {
    private static final Duration TTL = Duration.ofMinutes(5);
    private static KillableServer server;
    private static FreshSchema schema;
    private static ConfigurableApplicationContext node;

    @BeforeAll
    static void start() throws Exception {
        server = KillableServer.start("--max-allowed-packet=16K");
        schema = FreshSchema.on(server.server());
        node = new TestApplication(schema).start();
    }

    @AfterAll
    static void stop() {
        node.close();
        schema.close();
        server.close();
    }

    private static String longKey(int id) {
        return "k".repeat(240) + id;
    }

    @ParameterizedTest
    @ValueSource(classes = {LeaseStore.class, UniqueKeyStore.class})
    void manyLeasesWithLongKeysAreAllRenewed(Class<? extends LockStore> type) {
        LockStore store = node.getBean(type);
        List<Lease> leases = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            LeaseRequest request = new LeaseRequest(longKey(i), LockMode.EXCLUSIVE, "me", TTL, i + 1, TTL, 0);
            leases.add(((Attempt.Granted) store.tryAcquire(request)).lease());
        }
        assertThat(schema.jdbc().queryForObject("SELECT @@max_allowed_packet", Integer.class))
                .isEqualTo(16_384);
        assertThat(store.renew(leases, TTL).values()).hasSize(300).containsOnly(Renewal.RENEWED);
        assertThat(store.renew(leases, TTL).values()).containsOnly(Renewal.RENEWED);
        leases.forEach(store::release);
    }

    @Test
    void packetsOfManyThreadsAndTheirLogArrive() {
        LockClient locks = node.getBean(LockClient.class);
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int thread = 0; thread < 64; thread++) {
            int id = 1_000 + thread;
            threads.add(CompletableFuture.runAsync(
                    () -> {
                        for (int round = 0; round < 20; round++) {
                            locks.execute(
                                    LockRequest.exclusive(longKey(id)).withWaitTime(Duration.ofMinutes(1)), () -> null);
                        }
                    },
                    task -> new Thread(task).start()));
        }
        CompletableFuture.allOf(threads.toArray(CompletableFuture[]::new))
                .orTimeout(3, TimeUnit.MINUTES)
                .join();
        await().untilAsserted(() -> assertThat(schema.jdbc()
                        .queryForObject(
                                "SELECT COUNT(*) FROM rowlock_lock_log WHERE status = 'RELEASED' AND lock_key LIKE 'kkk%'",
                                Integer.class))
                .isEqualTo(64 * 20));
    }
}
