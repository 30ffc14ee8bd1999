package io.rowlock.autoconfigure;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.SpringBootVersion;
import org.springframework.context.ApplicationContextInitializer;
import org.springframework.context.ConfigurableApplicationContext;

/** Stops the start on a line of Spring Boot that lacks what is needed, before its first missing class does. */
final class RequiredSpringBoot implements ApplicationContextInitializer<ConfigurableApplicationContext> {
    @Override
    public void initialize(ConfigurableApplicationContext context) {
        require(SpringBootVersion.getVersion());
    }

    static void require(@Nullable String version) {
        if (version != null && version.matches("[123]\\..*")) {
            throw new RowlockSetupException(
                    "Rowlock needs Spring Boot 4.0 or newer, but this application runs on %s.".formatted(version),
                    "Upgrade Spring Boot, or remove Rowlock's starter.");
        }
    }
}
