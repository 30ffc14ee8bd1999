package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.test.RowlockTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;

/** An application whose locks are in Redis, without any. */
@RowlockTest
@SpringBootTest(
        classes = Orders.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.NONE,
        properties = {
            "rowlock.strategy=redis",
            "spring.data.redis.port=1",
            "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class InMemoryRedisTests {
    @Autowired
    Orders orders;

    @Autowired
    ObjectProvider<InMemoryLockStore> stores;

    @Test
    void locksOfRedisAreInMemory() {
        assertThat(stores.stream().map(InMemoryLockStore::strategy)).contains("redis");
        assertThat(orders.pay(1, () -> "paid")).isEqualTo("paid");
    }
}
