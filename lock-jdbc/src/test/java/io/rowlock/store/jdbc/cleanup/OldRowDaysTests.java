package io.rowlock.store.jdbc.cleanup;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** For how many days a row of a row lock is kept. */
class OldRowDaysTests {
    @ParameterizedTest
    @CsvSource({"PT0.001S, 1", "PT1H, 1", "PT24H, 1", "PT24H0.001S, 2", "PT168H, 7", "PT9600H, 400"})
    void keptDaysAreWholeAndAtLeastOne(Duration keep, int days) {
        assertThat(OldRowCleanUp.days(keep)).isEqualTo(days);
    }
}
