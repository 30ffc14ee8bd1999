package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockClient;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.redis.RedisLockStore;
import io.rowlock.test.Linkage;
import io.rowlock.test.RowlockTest;
import org.junit.jupiter.api.Test;

class LinkageTests {
    @Test
    void everyReferenceOfTheLibraryIsFound() {
        Linkage linkage = Linkage.of(
                LockClient.class,
                LockDatabase.class,
                RedisLockStore.class,
                RowlockAutoConfiguration.class,
                RowlockTest.class);
        assertThat(linkage.references()).isGreaterThan(5_000);
        assertThat(linkage.missing()).isEmpty();
    }
}
