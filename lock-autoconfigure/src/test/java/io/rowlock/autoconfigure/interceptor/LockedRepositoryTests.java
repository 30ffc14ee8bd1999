package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.HeldLock;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.persistence.autoconfigure.EntityScan;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.jpa.repository.JpaRepository;
import org.springframework.data.jpa.repository.config.EnableJpaRepositories;
import org.springframework.data.repository.CrudRepository;

/** Lock annotations on repositories of Spring Data, which are proxies before they get the one that locks. */
@OnServer(ServerFlavor.MYSQL)
class LockedRepositoryTests {
    private static FreshSchema schema;
    private static ConfigurableApplicationContext node;
    private static OtherNode other;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        schema.jdbc().execute("CREATE TABLE locked_item (id INT PRIMARY KEY)");
        node = new TestApplication(schema, Repositories.class)
                .withJpa()
                .with("rowlock.wait-time", "0s")
                .start();
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
        }
        if (node != null) {
            node.close();
        }
        schema.close();
    }

    @Test
    void annotatedRepositoryIsLocked() {
        Locked items = node.getBean(Locked.class);
        assertThat(items.count()).isGreaterThanOrEqualTo(0);
        assertBusy("items", items::count);
        assertBusy("items", () -> items.existsByIdGreaterThan(0));
    }

    @Test
    void redeclaredMethodIsLocked() {
        Redeclared items = node.getBean(Redeclared.class);
        LockedItem item = new LockedItem();
        item.id = 7;
        assertBusy("item:7", () -> items.save(item));
        CrudRepository<LockedItem, Integer> seenAsAnyOther = items;
        assertBusy("item:7", () -> seenAsAnyOther.save(item));
        assertThat(items.existsById(7)).isFalse();
        assertBusy("all", items::findAll);
        items.save(item);
        assertThat(items.existsById(7)).isTrue();
        items.deleteById(7);
    }

    private static void assertBusy(String key, ThrowingCallable call) {
        try (HeldLock held = other.lock(key)) {
            assertThatExceptionOfType(LockNotAcquiredException.class)
                    .as("while %s is held", held)
                    .isThrownBy(call);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EntityScan(basePackageClasses = LockedItem.class)
    @EnableJpaRepositories(basePackageClasses = LockedItem.class, considerNestedRepositories = true)
    static class Repositories {}

    /** A row. */
    @Entity
    @Table(name = "locked_item")
    static class LockedItem {
        @Id
        Integer id;

        public Integer getId() {
            return id;
        }
    }

    @DistributedLock("items")
    interface Locked extends JpaRepository<LockedItem, Integer> {
        boolean existsByIdGreaterThan(int id);
    }

    interface Redeclared extends CrudRepository<LockedItem, Integer> {
        @Override
        @DistributedLock(name = "item", key = "#item.id")
        <S extends LockedItem> S save(S item);

        @Override
        @DistributedLock("all")
        List<LockedItem> findAll();
    }
}
