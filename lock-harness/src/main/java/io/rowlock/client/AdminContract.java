package io.rowlock.client;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockEvent;
import io.rowlock.LockLostException;
import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.inspection.StoreInspection;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What an operator sees of the locks of all processes, and does to them. */
abstract class AdminContract extends TwoNodes {
    private LockAdmin admin;

    @BeforeEach
    void look() {
        admin = node.client.admin();
    }

    private List<String> keys(String prefix, int pageSize) {
        List<String> keys = new ArrayList<>();
        @Nullable String next = null;
        do {
            LockAdmin.Page page = admin.page(prefix, next, pageSize);
            assertThat(page.locks()).hasSizeLessThanOrEqualTo(pageSize);
            page.locks().forEach(lock -> keys.add(lock.key()));
            next = page.next();
        } while (next != null);
        return keys;
    }

    @Test
    void pagesShowEveryLockOnceInTheOrderOfTheirBytes() throws Exception {
        List<String> keys = List.of("page:a", "page:b", "page:\u00e4", "page:\uFFFD", "page:\uD83D\uDE00");
        for (int i = keys.size() - 1; i >= 0; i--) {
            (i % 2 == 0 ? node : rival).take(keys.get(i));
        }
        node.take("pag");
        node.take("pagf");
        for (int size = 1; size <= 6; size++) {
            assertThat(keys("page:", size)).isEqualTo(keys);
        }
        assertThat(keys("", 3)).hasSize(7);
        assertThat(keys("page:a*", 3)).isEmpty();
    }

    @Test
    void readersOfOneKeyAreSpreadOverPages() {
        HeldLock one = node.read("a");
        HeldLock two = rival.read("a");
        HeldLock permit = rival.client.acquire(LockRequest.permit("a", 1));
        assertThat(keys("a", 1)).containsExactly("a", "a", "a");
        assertThat(admin.holders("a"))
                .extracting(info -> info.mode())
                .containsExactlyInAnyOrder(LockMode.SHARED, LockMode.SHARED, LockMode.PERMIT);
        one.close();
        two.close();
        permit.close();
        assertThat(admin.holders("a")).isEmpty();
    }

    @Test
    void holderIsShownAsItIs() {
        try (HeldLock lock = node.client.acquire(LockRequest.exclusive("7f3a").withName("invoice"));
                HeldLock other = rival.read("order:7")) {
            LockAdmin.Held own = admin.holders("7f3a").get(0);
            assertThat(own.name()).isEqualTo("invoice");
            assertThat(own.thisNode()).isTrue();
            assertThat(own.strategy()).isEqualTo(node.store.strategy());
            assertThat(own.token()).isEqualTo(lock.fencingToken());
            assertThat(own.since()).isNotNull();
            assertThat(own.remaining()).isBetween(ofSeconds(10), ofSeconds(30));
            LockAdmin.Held foreign = admin.holders("order:7").get(0);
            assertThat(foreign.thisNode()).isFalse();
            assertThat(foreign.name()).isEqualTo("order");
            assertThat(foreign.owner()).isEqualTo("rival");
            assertThat(foreign.token()).isEqualTo(other.fencingToken());
        }
    }

    @Test
    void lockThatIsOnlyKeptIsSinceNoTime() {
        node.client
                .acquire(LockRequest.exclusive("a").withHoldAtLeast(ofMinutes(5)))
                .close();
        rival.client
                .acquire(LockRequest.permit("b", 1).withHoldAtLeast(ofMinutes(5)))
                .close();
        for (String key : List.of("a", "b")) {
            assertThat(admin.holders(key)).singleElement().satisfies(info -> {
                assertThat(info.since()).isNull();
                assertThat(info.remaining()).isGreaterThan(ofMinutes(4));
            });
        }
    }

    @Test
    void lockThatIsEndedByForceIsLostToItsHolderAndGoesToTheWaiter() throws Exception {
        HeldLock held = rival.client.acquire(LockRequest.exclusive("a").withTtl(ofMinutes(5)));
        Other<HeldLock> waiter = Other.does(() -> node.take("a"));
        await().until(() -> table.isWaitedFor("a"));
        assertThat(admin.release("a", "operator", "test"))
                .singleElement()
                .satisfies(ended -> assertThat(ended.owner()).isEqualTo("rival"));
        try (HeldLock next = waiter.get()) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> held.extend(ofMinutes(5)));
            assertThat(held.isHeld()).isFalse();
            held.close();
            assertThat(next.isHeld()).isTrue();
            assertThat(table.live("a")).isEqualTo(1);
        }
        await().until(() -> rival.count(LockEvent.Type.LOST, "a") == 1);
    }

    @Test
    void holderInTheSameProcessIsNotifiedAtOnce() {
        HeldLock held = node.take("a");
        assertThat(admin.release("a", "operator", "test")).hasSize(1);
        assertThat(held.isHeld()).isFalse();
        assertThat(rival.canTake("a")).isTrue();
        held.close();
    }

    @Test
    void readersAndPermitsAreEndedByForceToo() throws Exception {
        HeldLock reader = rival.read("a");
        HeldLock permit = rival.client.acquire(LockRequest.permit("a", 1));
        Other<HeldLock> writer =
                Other.does(() -> Other.does(() -> node.take("a")).get());
        await().until(() -> table.live("a") == 3); // it drains
        assertThat(writer.isDone()).isFalse();
        assertThat(admin.release("a", "operator", "test")).hasSize(3);
        assertThat(table.live("a")).isLessThanOrEqualTo(1);
        for (HeldLock lost : List.of(reader, permit)) {
            assertThatExceptionOfType(LockLostException.class).isThrownBy(() -> lost.extend(ofMinutes(5)));
            lost.close();
        }
        writer.get().close();
    }

    @Test
    void keyThatIsFreeHasNoLockToEnd() {
        assertThat(admin.release("a", "operator", "test")).isEmpty();
        assertThat(admin.holders("a")).isEmpty();
    }

    @Test
    void waitersOfTheProcessAreCounted() throws Exception {
        HeldLock held = rival.take("a");
        List<Other<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            waiters.add(Other.does(() -> {
                node.take("a").close();
                return true;
            }));
        }
        await().until(() -> admin.waiting("a") == 2);
        assertThat(admin.holders("a").get(0).localWaiters()).isEqualTo(2);
        await().pollDelay(ofMillis(50)).until(held::isHeld);
        held.close();
        for (Other<Boolean> waiter : waiters) {
            assertThat(waiter.get()).isTrue();
        }
        assertThat(admin.waiting("a")).isZero();
    }

    @Test
    void storeIsUsable() {
        admin.usual().ifPresent(StoreInspection::requireUsable);
        admin.usual().ifPresent(StoreInspection::requireRights);
        assertThat(keys("", 10)).as("nothing is left of it").isEmpty();
    }
}
