package io.rowlock.benchmark.server;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServersTests {
    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://h/s, jdbc:mysql://h/s?sslMode=PREFERRED",
        "jdbc:mysql://h/s?a=b, jdbc:mysql://h/s?a=b&sslMode=PREFERRED",
        "jdbc:mysql://h/s?sslMode=DISABLED, jdbc:mysql://h/s?sslMode=PREFERRED",
        "jdbc:mysql://h/s?a=b&sslMode=DISABLED, jdbc:mysql://h/s?a=b&sslMode=PREFERRED",
        "jdbc:mysql://h/s?sslMode=DISABLED&a=b, jdbc:mysql://h/s?a=b&sslMode=PREFERRED",
    })
    void connectionsUseTlsIfTheServerHasIt(String plain, String encrypted) {
        assertThat(new Servers(plain, "user", "", null).encrypted().jdbcUrl()).isEqualTo(encrypted);
    }
}
