package io.rowlock.verification;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.RunReport;
import io.rowlock.verification.Verification.Outcome;
import io.rowlock.verification.Verification.Totals;
import io.rowlock.verification.fault.Database;
import io.rowlock.verification.fault.Fault;
import io.rowlock.verification.history.Event;
import io.rowlock.verification.history.Event.Kind;
import io.rowlock.verification.history.History;
import io.rowlock.verification.history.Violation;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/** Two minutes of faults. {@code -Pverification} runs for an hour. */
class VerificationTests {
    private static final Settings SETTINGS =
            Settings.of(name -> Map.of("nodes", "2").getOrDefault(name, ""), 120);

    /** The values of the column of faults: none for no fault, and nothing for all. */
    private static final Set<String> KNOWN = Stream.concat(
                    Stream.of("", "none"), Stream.of(Fault.values()).map(Fault::name))
            .collect(Collectors.toSet());

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
        assertThat(outcome.faults()).hasSizeGreaterThanOrEqualTo(14);
        assertThat(outcome.history().grants()).isPositive();
    }

    @Test
    void roundsAddUp() {
        History history = History.of(List.of(
                new Event(1, 1, 1, Kind.ASKED, "lease:0", "X", -1),
                new Event(2, 1, 1, Kind.GRANTED, "lease:0", "", 1)));
        Totals totals = new Totals();
        totals.add(new Outcome(history, Map.of(Fault.NODE_KILLED, 2), List.of()));
        totals.add(new Outcome(
                history,
                Map.of(Fault.NODE_KILLED, 1, Fault.READ_LOCK, 3),
                List.of(new Violation("two holders", 1, ""))));
        assertThat(totals.line()).isEqualTo("operations 2, grants 2, faults 6, violations 1");
    }

    @Test
    void usualLengthOfARunIsThatOfItsKindUnlessItIsChosen() {
        assertThat(Settings.of(name -> "", Settings.OF_A_MUTANT).seconds()).isEqualTo(600);
        assertThat(Settings.of(name -> name.equals("seconds") ? "7" : "", Settings.OF_A_MUTANT)
                        .seconds())
                .isEqualTo(7);
    }

    @Test
    void eachMutantFitsTheCode() throws Exception {
        assertThat(Mutants.all()).hasSizeGreaterThanOrEqualTo(25);
        for (Mutants.Mutant mutant : Mutants.all()) {
            assertThat(mutant.text()).contains(mutant.broken());
            assertThat(mutant.faults().split(",")).isSubsetOf(KNOWN);
        }
    }
}
