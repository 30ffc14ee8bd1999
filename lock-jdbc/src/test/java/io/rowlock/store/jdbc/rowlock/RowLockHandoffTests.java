package io.rowlock.store.jdbc.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.Lease;
import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Which tokens a row lock has to hand on: microseconds that have passed at the server, whichever clock is the faster. */
class RowLockHandoffTests {

    @ParameterizedTest
    @CsvSource({"0, 0", "1, 0", "3, 0", "4, 1", "5, 1", "6, 2", "200, 99", "2045, 1021", "2046, 1022", "60000000, 1022"
    })
    void thereAreHalfAsManyAsMicrosecondsHavePassedLessOne(long micros, long handoffs) {
        assertThat(RowLockStore.mostHandoffs(0, Duration.ofNanos(micros * 1_000)))
                .isEqualTo(handoffs);
        assertThat(RowLockStore.mostHandoffs(0, Duration.ofNanos(micros * 1_000 + 999)))
                .isEqualTo(handoffs);
    }

    @ParameterizedTest
    @CsvSource({"365"})
    void longestLeaseHasNoMoreThanAnyOther(long days) {
        assertThat(RowLockStore.mostHandoffs(0, Duration.ofDays(days))).isEqualTo(Lease.MOST_HANDOFFS);
    }
}
