package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class GeneratedOwnerTests {
    @Test
    void ownerIsReadable() {
        assertThat(GeneratedOwner.of("shop", "node-1", 42, "cafe0000")).isEqualTo("shop@node-1#42-cafe0000");
    }

    @Test
    void ownersOfOneProcessDiffer() {
        assertThat(GeneratedOwner.of("shop")).startsWith("shop@").isNotEqualTo(GeneratedOwner.of("shop"));
    }

    @Test
    void longNamesAreShortenedToTheColumn() {
        String owner = GeneratedOwner.of("n".repeat(200), "h".repeat(200), Long.MAX_VALUE, "cafe0000");
        assertThat(owner).hasSizeLessThanOrEqualTo(100).startsWith("n").endsWith("#9223372036854775807-cafe0000");
    }
}
