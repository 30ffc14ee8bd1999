package io.rowlock.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.RunReport;
import io.rowlock.verification.Verification.Outcome;
import io.rowlock.verification.fault.Database;
import java.io.File;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Two minutes of faults. {@code -Pverification} runs for an hour. */
class VerificationTests {
    private static final Settings SETTINGS =
            Settings.of(name -> Map.of("seconds", "120", "nodes", "2").getOrDefault(name, ""));

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    Path histories;

    @Tag("full")
    @Test
    void noRuleIsBroken() throws Exception {
        assumeTrue(
                Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .anyMatch(directory -> new File(directory, "redis-server").canExecute()),
                "redis-server is not installed");
        Outcome outcome;
        try (Database database = Database.open(SETTINGS.server())) {
            outcome = Verification.run(SETTINGS, histories, database);
        }
        RunReport.add("Histories: " + outcome.lastLine());
        assertThat(outcome.violations()).isEmpty();
        assertThat(outcome.faults()).hasSizeGreaterThan(10);
        assertThat(outcome.history().grants()).isPositive();
    }

    @Test
    void eachMutantFitsTheCode() throws Exception {
        assertThat(Mutants.all()).hasSizeGreaterThanOrEqualTo(25);
        for (Mutants.Mutant mutant : Mutants.all()) {
            assertThat(mutant.text()).contains(mutant.broken());
        }
    }
}
