package io.rowlock.aspects;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.Linkage;
import org.junit.jupiter.api.Test;

class LinkageTests {
    @Test
    void everyReferenceOfTheModuleIsFound() {
        Linkage linkage = Linkage.of(Woven.class);
        assertThat(linkage.references()).isGreaterThan(10);
        assertThat(linkage.missing()).isEmpty();
    }
}
