package io.rowlock.store.jdbc.rowlock;

import static io.rowlock.store.jdbc.rowlock.RowLockTable.TTL;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.LockMode;
import io.rowlock.store.Attempt;
import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.Statements;
import io.rowlock.test.TestSchema;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One row lock out of several, in one statement. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class RowAnyKeyContract {
    private static final int GATE = -2;
    private static final int BARRIER = -1;

    private RowLockTable table;
    private RowLockStore other;
    private String first;
    private String second;
    private String third;

    @BeforeAll
    void open(TestSchema schema) {
        table = new RowLockTable(schema);
    }

    /** Not in the order of the table. */
    @BeforeEach
    void nameKeys() {
        String unique = UUID.randomUUID().toString();
        first = "m" + unique;
        second = "z" + unique;
        third = "a" + unique;
        other = table.store(8, true);
    }

    @AfterEach
    void close() {
        table.closeOpened();
    }

    /** How many statements of the lock's own session it takes to get past the barrier. */
    abstract int statementsForTheBarrier();

    private static LeaseRequest request(String key) {
        return RowLockTable.request(key, LockMode.EXCLUSIVE, TTL);
    }

    private List<LeaseRequest> wanted() {
        return Stream.of(first, second, third).map(RowAnyKeyContract::request).toList();
    }

    private static Lease granted(Attempt attempt) {
        assertThat(attempt).isInstanceOf(Attempt.Granted.class);
        return ((Attempt.Granted) attempt).lease();
    }

    private static void use(RowLockStore at, String... keys) {
        for (String key : keys) {
            assertThat(at.release(granted(at.tryAcquire(request(key))))).isTrue();
        }
    }

    private static boolean isFree(RowLockStore at, String key) {
        return at.tryAcquire(request(key)) instanceof Attempt.Granted granted && at.release(granted.lease());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void firstFreeKeyInTheGivenOrderIsTakenAndNoOther(boolean fenced) {
        RowLockStore store = table.store(8, fenced);
        use(other, first, second, third);
        Lease taken = granted(other.tryAcquire(request(first)));
        Lease lease = granted(store.tryAcquireAny(wanted()));
        assertThat(lease.key()).isEqualTo(second);
        assertThat(lease.fence()).isGreaterThan(taken.fence());
        assertThat(isFree(other, second)).isFalse();
        assertThat(isFree(other, third)).isTrue();
        assertThat(other.release(taken)).isTrue();
        assertThat(isFree(other, first)).isTrue();
        assertThat(store.release(lease)).isTrue();
        assertThat(isFree(other, second)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void keysThatWereNeverUsedAreTakenInTheirOrder(boolean fenced) {
        RowLockStore store = table.store(8, fenced);
        use(other, second);
        List<String> taken = Stream.generate(() -> granted(store.tryAcquireAny(wanted())))
                .limit(3)
                .map(Lease::key)
                .toList();
        assertThat(taken).containsExactly(first, second, third);
        assertThat(store.tryAcquireAny(wanted())).isInstanceOf(Attempt.Busy.class);
    }

    @Test
    void keyOfATransactionThatIsAboutToCommitIsTakenAndLetGo() {
        use(other, first, second, third);
        try (RowLockTable.OpenTransaction business = table.begin();
                RowLockTable.OpenTransaction stranger = table.begin()) {
            assertThat(business.locks(first, BARRIER, "LOCK IN SHARE MODE")).isTrue();
            Lease lease = granted(table.store(8, true).tryAcquireAny(wanted()));
            assertThat(lease.key()).isEqualTo(second);
            assertThat(stranger.locks(first, GATE, "FOR UPDATE NOWAIT")).isTrue();
            assertThat(stranger.locks(third, GATE, "FOR UPDATE NOWAIT")).isTrue();
            assertThat(stranger.locks(second, BARRIER, "FOR UPDATE NOWAIT"))
                    .as("its holder does not keep it")
                    .isTrue();
        }
    }

    @Test
    void allTakenIsBusyAndCostsNoConnection() {
        HikariDataSource one = table.pool(1, config -> config.setConnectionTimeout(1_000));
        RowLockStore small = table.store(one, 1, true);
        wanted().forEach(request -> granted(other.tryAcquire(request)));
        for (int i = 0; i < 3; i++) {
            assertThat(small.tryAcquireAny(wanted())).isInstanceOf(Attempt.Busy.class);
        }
        use(small, first + "free");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itTakesOneStatementAndWhatTheBarrierTakes(boolean fenced) {
        use(other, first, second, third);
        granted(other.tryAcquire(request(first)));
        HikariDataSource one = table.pool(1, config -> {});
        RowLockStore alone = table.store(one, 1, fenced);
        Runnable pair = () -> assertThat(alone.release(granted(alone.tryAcquireAny(wanted()))))
                .isTrue();
        pair.run();
        // besides, a commit; and the pool rolls back after the question
        assertThat(Statements.of(one, pair)).isEqualTo(1 + (fenced ? statementsForTheBarrier() : 0) + 1 + 1);
    }

    @Test
    void storesThatClaimAtTheSameTimeGetEachKeyOnce() {
        List<String> keys = IntStream.range(0, 16).mapToObj(i -> first + i).toList();
        List<CompletableFuture<List<String>>> claims = new ArrayList<>();
        for (int node = 0; node < 3; node++) {
            RowLockStore store = table.store(16, true);
            claims.add(CompletableFuture.supplyAsync(() -> claimAll(store, keys)));
        }
        List<String> claimed = claims.stream()
                .map(CompletableFuture::join)
                .flatMap(List::stream)
                .toList();
        assertThat(claimed).containsExactlyInAnyOrderElementsOf(keys);
    }

    private static List<String> claimAll(RowLockStore store, List<String> keys) {
        List<String> claimed = new ArrayList<>();
        Attempt attempt = store.tryAcquireAny(requests(keys));
        while (attempt instanceof Attempt.Granted granted) {
            claimed.add(granted.lease().key());
            attempt = store.tryAcquireAny(requests(keys));
        }
        return claimed;
    }

    private static List<LeaseRequest> requests(List<String> keys) {
        return keys.stream().map(RowAnyKeyContract::request).toList();
    }
}
