package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.core.io.support.SpringFactoriesLoader;

class RequiredSpringBootTests {
    @Test
    void olderLineIsNamed() {
        for (String version : List.of("2.7.18", "3.5.9")) {
            assertThatThrownBy(() -> RequiredSpringBoot.require(version))
                    .hasMessage(
                            "Rowlock needs Spring Boot 4.0 or newer, but this application runs on " + version + ".");
        }
    }

    @Test
    void supportedAndUnknownLinesStart() {
        for (String version : new String[] {"4.0.0", "4.1.1", "4.2.0-M1", "5.0.0", null}) {
            assertThatCode(() -> RequiredSpringBoot.require(version)).doesNotThrowAnyException();
        }
    }

    @Test
    void everyApplicationAsks() {
        assertThat(SpringFactoriesLoader.loadFactories(ApplicationContextInitializer.class, null))
                .hasAtLeastOneElementOfType(RequiredSpringBoot.class);
    }
}
