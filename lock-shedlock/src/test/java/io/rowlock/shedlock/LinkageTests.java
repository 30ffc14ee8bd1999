package io.rowlock.shedlock;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.Linkage;
import org.junit.jupiter.api.Test;

class LinkageTests {
    @Test
    void everyReferenceOfTheModuleIsFound() {
        Linkage linkage = Linkage.of(RowlockLockProvider.class);
        assertThat(linkage.references()).isGreaterThan(50);
        assertThat(linkage.missing()).isEmpty();
    }
}
