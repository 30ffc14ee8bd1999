package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.test.RowlockTest;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** An application without any database. */
@RowlockTest
@SpringBootTest(
        classes = Orders.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = "spring.autoconfigure.exclude="
                + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
class InMemoryOrdersTests extends OrdersContract {
    @Autowired
    ObjectProvider<InMemoryLockStore> stores;

    @Autowired
    ObjectProvider<DataSource> databases;

    @Test
    void locksAreInMemory() {
        assertThat(stores.stream().map(InMemoryLockStore::strategy)).contains("lease", "row-lock", "unique-key");
        assertThat(databases).isEmpty();
    }
}
