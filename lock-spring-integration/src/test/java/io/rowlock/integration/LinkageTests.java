package io.rowlock.integration;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.Linkage;
import org.junit.jupiter.api.Test;

class LinkageTests {
    @Test
    void everyReferenceOfTheModuleIsFound() {
        Linkage linkage = Linkage.of(RowlockLockRegistry.class);
        assertThat(linkage.references()).isGreaterThan(100);
        assertThat(linkage.missing()).isEmpty();
    }
}
