package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExpiringRowStoreTests {

    @Test
    void leasesAreInTheOrderOfThePrimaryKeyWhichComparesUnsignedBytes() {
        List<Lease> ordered = List.of(
                lease("Z", 0),
                lease("a", 0),
                lease("a", 7),
                lease("a ", 0),
                lease("b", 0),
                lease("\u00e9", 0),
                lease("\uffee", 0),
                lease("\ud83d\udd12", 0)); // before U+FFEE as UTF-16, behind it as UTF-8
        List<Lease> reversed = new ArrayList<>(ordered);
        Collections.reverse(reversed);
        reversed.sort(Lease.STORE_ORDER);
        assertThat(reversed).isEqualTo(ordered);
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "2, 2", "3, 4", "4, 4", "5, 8", "1000, 1024"})
    void widthIsThePowerOfTwoThatHoldsThemAll(int leases, int width) {
        List<Lease> batch = Collections.nCopies(leases, lease("k", 0));
        assertThat(ExpiringRowStore.width(batch)).isEqualTo(width);
        assertThat(ExpiringRowStore.parameters(RowNaming.SLOTS, batch, "first"))
                .hasSize(1 + 3 * width)
                .startsWith("first")
                .doesNotContainNull();
    }

    private static Lease lease(String key, long slot) {
        return new Lease(key, LockMode.EXCLUSIVE, slot, 1, "alice");
    }
}
