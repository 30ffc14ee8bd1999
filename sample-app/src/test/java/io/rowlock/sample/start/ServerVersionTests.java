package io.rowlock.sample.start;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerVersionTests {

    @ParameterizedTest
    @CsvSource({
        "8.0.11, true, MySQL 8.0.11",
        "9.7.4-2, true, MySQL 9.7.4-2",
        "26.10.0, true, MySQL 26.10.0",
        "5.7.44-log, false, MySQL 5.7.44-log",
        "10.6.0-MariaDB, true, MariaDB 10.6.0-MariaDB",
        "11.4.5-MariaDB-log, true, MariaDB 11.4.5-MariaDB-log",
        "5.5.5-10.11.2-MariaDB, true, MariaDB 5.5.5-10.11.2-MariaDB",
        "10.5.23-MariaDB, false, MariaDB 10.5.23-MariaDB",
        "5.5.5-10.3.1-MariaDB, false, MariaDB 5.5.5-10.3.1-MariaDB",
        "strange, false, MySQL strange"
    })
    void versionsThatRowlockRunsOn(String text, boolean supported, String shown) {
        ServerVersion version = new ServerVersion(text);
        assertThat(version.isSupported()).isEqualTo(supported);
        assertThat(version).hasToString(shown);
    }
}
