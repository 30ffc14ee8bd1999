package io.rowlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.RowlockClient;
import io.rowlock.store.LockStore;
import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.test.RowlockTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.test.context.TestContextManager;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** Tests of an application that replace its client, or its stores. */
class ReplacedClientTests {
    @RowlockTest
    @SpringBootTest(
            classes = Orders.Application.class,
            webEnvironment = SpringBootTest.WebEnvironment.NONE,
            properties =
                    "spring.autoconfigure.exclude=org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration")
    abstract static class OfOrders {}

    static final class WithMock extends OfOrders {
        @MockitoBean
        LockClient locks;
    }

    static final class WithMockOfOurs extends OfOrders {
        @MockitoBean
        RowlockClient locks;
    }

    static final class WithSpy extends OfOrders {
        @MockitoSpyBean
        LockClient locks;
    }

    @Test
    void mockIsRefusedInOneSentence() {
        for (OfOrders test : new OfOrders[] {new WithMock(), new WithMockOfOurs()}) {
            assertThatException()
                    .isThrownBy(() -> new TestContextManager(test.getClass()).prepareTestInstance(test))
                    .havingRootCause()
                    .isInstanceOf(RowlockSetupException.class)
                    .withMessage("The LockClient was replaced by a mock (@MockitoBean), which acquires no lock.");
        }
    }

    @Import(WithStore.Declared.class)
    static final class WithStore extends OfOrders {
        @Autowired
        LockClient locks;

        @Autowired
        @Qualifier("declared")
        LockStore declared;

        static class Declared {
            @Bean
            LockStore declared() {
                return new InMemoryLockStore().named("lease");
            }
        }
    }

    @Test
    void storeThatTheApplicationDeclaresStandsBehind() throws Exception {
        WithStore test = new WithStore();
        new TestContextManager(WithStore.class).prepareTestInstance(test);
        try (HeldLock lock = test.locks.acquire(LockRequest.exclusive("kept").withStrategy("lease"))) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(test.declared.inspection().orElseThrow().holders("kept")).isEmpty();
        }
    }

    @Test
    void spyAcquiresLocks() throws Exception {
        WithSpy test = new WithSpy();
        new TestContextManager(WithSpy.class).prepareTestInstance(test);
        try (HeldLock lock = test.locks.acquire(LockRequest.exclusive("spied"))) {
            assertThat(lock.isHeld()).isTrue();
        }
    }
}
