package io.rowlock.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.memory.InMemoryLockStore;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two applications in one table, whose prefixes begin alike, and keys that belong to the library. */
class KeyPrefixTests {
    private final InMemoryLockStore table = new InMemoryLockStore();
    private final RowlockClient shop =
            RowlockClient.builder(table).keyPrefix("shop").build();
    private final RowlockClient second =
            RowlockClient.builder(table).keyPrefix("shop2").build();

    @AfterEach
    void close() {
        shop.close();
        second.close();
    }

    @Test
    void applicationDoesNotBlockTheOther() {
        try (HeldLock lock = second.acquire(LockRequest.exclusive("k"));
                HeldLock other = shop.tryAcquire(LockRequest.exclusive("2k")).orElseThrow()) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(other.isHeld()).isTrue();
            assertThat(shop.isHeldByCurrentThread("2k")).isTrue();
            assertThat(shop.isHeldByCurrentThread("k")).isFalse();
        }
    }

    @Test
    void applicationNeitherSeesNorForcesOutTheOther() {
        try (HeldLock lock = second.acquire(LockRequest.exclusive("k"))) {
            assertThat(shop.admin().page("", null, 10).locks()).isEmpty();
            assertThat(shop.admin().holders("2k")).isEmpty();
            assertThat(shop.admin().release("2k", "operator", "test")).isEmpty();
            assertThat(second.admin().page("", null, 10).locks())
                    .singleElement()
                    .extracting(LockAdmin.Held::key)
                    .isEqualTo("k");
            lock.ensureHeld(Duration.ofSeconds(1));
        }
    }

    @Test
    void applicationWithoutAPrefixNeitherSeesNorForcesOutTheOthers() {
        try (RowlockClient plain = RowlockClient.builder(table).build();
                HeldLock lock = second.acquire(LockRequest.exclusive("k"));
                HeldLock own = plain.acquire(LockRequest.exclusive("shop2"))) {
            assertThat(plain.admin().page("", null, 10).locks())
                    .singleElement()
                    .extracting(LockAdmin.Held::key)
                    .isEqualTo("shop2");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> plain.admin().release("shop2\u001fk", "operator", "test"))
                    .withMessageContaining("belongs to an application with another rowlock.key-prefix");
            lock.ensureHeld(Duration.ofSeconds(1));
            assertThat(own.isHeld()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock:mine", "rowlock:clean-up", "leader:boss"})
    void reservedKeyIsRefused(String key) {
        LockRequest request = LockRequest.exclusive(key);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> shop.acquire(request))
                .withMessageContaining("The lock key \"%s\" is reserved".formatted(key))
                .withMessageContaining("choose another name");
        assertThatIllegalArgumentException().isThrownBy(() -> shop.tryAcquire(request));
        assertThatIllegalArgumentException().isThrownBy(() -> shop.lock(request));
        assertThatIllegalArgumentException().isThrownBy(() -> shop.validate(request));
        assertThat(shop.tryAcquireReserved(request)).hasValueSatisfying(HeldLock::close);
    }
}
