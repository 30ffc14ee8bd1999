package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** What is looked at before binding, in files and in variables of the environment. */
@ExtendWith(OutputCaptureExtension.class)
class SettingsCheckTests {
    record Named(Duration ttl, boolean enabled) {}

    record Datasource(String password) {}

    record Settings(
            boolean enabled,
            Duration waitTime,
            String keyPrefix,
            List<String> managers,
            Map<String, Named> locks,
            Datasource datasource) {}

    private static void check(Map<String, Object> variables, Map<String, Object> file) {
        StandardEnvironment environment = new StandardEnvironment();
        environment
                .getPropertySources()
                .forEach(source -> environment.getPropertySources().remove(source.getName()));
        environment.getPropertySources().addLast(new SystemEnvironmentPropertySource("systemEnvironment", variables));
        environment.getPropertySources().addLast(new MapPropertySource("file", file));
        new SettingsCheck(environment, Map.of("rowlock", Settings.class))
                .postProcessBeanDefinitionRegistry(new DefaultListableBeanFactory());
    }

    private static void assertRefused(Map<String, Object> variables, Map<String, Object> file, String sentence) {
        assertThatExceptionOfType(RowlockSetupException.class)
                .isThrownBy(() -> check(variables, file))
                .withMessageContaining(sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "ROWLOCK_POOL_SHARED, false, 'rowlock.pool.shared is not supported any more, but it is set to \"false\"'",
        "ROWLOCK_LOG_MODE, SYNC, The value \"sync\" of rowlock.log.mode is not supported any more",
        "ROWLOCK_CLUSTER_WRITERS, many, The value \"many\" of rowlock.cluster.writers is not supported any more",
        "ROWLOCK_WAIT_TIME, 10, The value \"10\" of rowlock.wait-time has no unit",
        "ROWLOCK_WAITTIME, 10, The value \"10\" of rowlock.wait-time has no unit",
        "ROWLOCK_LOCKS_ORDER_TTL, 10, The value \"10\" of rowlock.locks.order.ttl has no unit",
    })
    void variableOfTheEnvironmentIsRefused(String variable, String value, String sentence) {
        assertRefused(Map.of(variable, value), Map.of(), sentence);
    }

    @ParameterizedTest
    @CsvSource({
        "rowlock.pool.shared, yes, rowlock.pool.shared is not supported any more",
        "rowlock.startup.report, true, rowlock.startup.report is not supported any more",
        "rowlock.waitTime, 10, rowlock.wait-time has no unit",
        "rowlock.wait-time, -10, has no unit",
        "rowlock.wait-time, ' ', is empty",
        "rowlock.wait-time, ${patience}, has a placeholder that is not resolved",
        "rowlock.key-prefix, 'shop ', begins or ends with a blank",
    })
    void valueThatBindingWouldMisreadIsRefused(String property, String value, String sentence) {
        assertRefused(Map.of(), Map.of(property, value), sentence);
    }

    @ParameterizedTest
    @CsvSource({"ROWLOCK_ENABLED, rowlock.enabled", "ROWLOCK_LOCKS_JOBS_ENABLED, rowlock.locks[Jobs.nightly].enabled"})
    void switchThatIsNeitherOnNorOffIsRefused(String variable, String property) {
        assertThatExceptionOfType(RowlockSetupException.class)
                .isThrownBy(() -> check(Map.of(variable, "ture"), Map.of()))
                .withMessageContaining("\"ture\"")
                .withMessageContaining("neither true nor false");
        assertThatExceptionOfType(RowlockSetupException.class)
                .isThrownBy(() -> check(Map.of(), Map.of(property, "ture")))
                .withMessageContaining("\"ture\"")
                .withMessageContaining("neither true nor false");
    }

    @Test
    void switchForgesNoLine() {
        assertThatExceptionOfType(RowlockSetupException.class)
                .isThrownBy(() -> check(Map.of(), Map.of("rowlock.enabled", "a\nWARN forged")))
                .withMessageContaining("a\\nWARN forged\"");
    }

    @Test
    void valueThatAnotherOneHidesDoesNotCount() {
        assertThatNoException()
                .isThrownBy(() -> check(Map.of("ROWLOCK_WAIT_TIME", "10s"), Map.of("rowlock.wait-time", "10")));
        assertRefused(Map.of("ROWLOCK_WAIT_TIME", "10"), Map.of("rowlock.wait-time", "10s"), "has no unit");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "00", "0s", "10s", "PT10S", "1m30s"})
    void durationWithAUnitIsLeftToTheBinder(String value, CapturedOutput output) {
        check(Map.of("ROWLOCK_KEY_PREFIX", "", "ROWLOCK_TEST_MYSQL_URL", "x"), Map.of("rowlock.wait-time", value));
        check(Map.of(), Map.of("rowlock.managers[0]", "a", "rowlock.locks[a.b].ttl", value, "rowlock.enabled", "on"));
        assertThat(output).doesNotContain("is not known");
    }

    @Test
    void misspeltNameOfTheDatabaseIsWarnedOf(CapturedOutput output) {
        check(Map.of(), Map.of("rowlock.datasource.pasword", "secret"));
        assertThat(output).contains("rowlock.datasource.pasword is not known and has no effect");
    }

    @Test
    void textForADriverIsLeftAlone() {
        assertThatNoException().isThrownBy(() -> check(Map.of("ROWLOCK_DATASOURCE_PASSWORD", " ${secret "), Map.of()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"rowlock.wait-tine", "rowlock.locks.order.tttl", "rowlock.enable"})
    void unknownNameIsWarnedOf(String property, CapturedOutput output) {
        check(Map.of(), Map.of(property, "5s"));
        assertThat(output).contains("The property " + property + " is not known and has no effect");
    }

    @Test
    void unknownVariableIsWarnedOf(CapturedOutput output) {
        check(Map.of("ROWLOCK_KEYPREFFIX", "x"), Map.of());
        assertThat(output).contains("rowlock.keypreffix is not known");
    }
}
