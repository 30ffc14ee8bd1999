package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerReportTests {
    @ParameterizedTest
    @CsvSource({
        "8.0.0, false, 8, 0, false",
        "9.7.4-2, false, 9, 7, false",
        "5.7.44-log, false, 5, 7, true",
        "11.4.5-MariaDB, true, 11, 4, false",
        "10.6.0-MariaDB-log, true, 10, 6, false",
        "10.5.29-MariaDB, true, 10, 5, true",
        "5.5.5-10.6.12-MariaDB, true, 10, 6, false",
        "5.5.68-MariaDB, true, 5, 5, true",
        "8.0.11-TiDB-v8.5.1, false, 8, 0, true",
        "8.0.30-Vitess, false, 8, 0, true",
        "whatever, false, 0, 0, false"
    })
    void versionsAreRead(String text, boolean mariaDb, int major, int minor, boolean unfit) {
        ServerVersion version = ServerVersion.parse(text);
        String shown = text.replace("5.5.5-", "");
        assertThat(version).isEqualTo(new ServerVersion(shown, mariaDb, major, minor));
        assertThat(version.unfitBecause().isPresent()).isEqualTo(unfit);
    }

    @Test
    void goodSettingsAreNotWarnedOf() {
        ServerReport report = report(Map.of(), false);
        assertThat(report.warnings()).isEmpty();
        assertThat(report.durability()).isEqualTo("innodb_flush_log_at_trx_commit=1, sync_binlog=1");
    }

    @Test
    void eachWeakSettingHasASentence() {
        assertThat(warnings(Map.of("innodb_flush_log_at_trx_commit", "0"), false))
                .singleElement()
                .asString()
                .contains("is 0", "two can hold one");
        assertThat(warnings(Map.of("innodb_flush_log_at_trx_commit", "2"), false))
                .singleElement()
                .asString()
                .contains("is 2", "machine");
        assertThat(warnings(Map.of("sync_binlog", "0"), false))
                .singleElement()
                .asString()
                .contains("sync_binlog");
        assertThat(warnings(Map.of("sync_binlog", "0", "log_bin", "OFF"), false))
                .isEmpty();
        assertThat(warnings(Map.of("gtid_slave_pos", "0-1-7"), false))
                .singleElement()
                .asString()
                .contains("copies another one");
        assertThat(warnings(Map.of("max_allowed_packet", "1048576"), false)).isEmpty();
        assertThat(warnings(Map.of("max_allowed_packet", "1047552"), false))
                .singleElement()
                .asString()
                .startsWith("max_allowed_packet");
        assertThat(warnings(Map.of("innodb_flush_log_at_trx_commit", "0", "sync_binlog", "0"), true))
                .hasSize(3);
    }

    private static List<String> warnings(Map<String, String> different, boolean hasSource) {
        return report(different, hasSource).warnings();
    }

    private static ServerReport report(Map<String, String> different, boolean hasSource) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "version", "8.4.0",
                "innodb_flush_log_at_trx_commit", "1",
                "log_bin", "ON",
                "sync_binlog", "1"));
        settings.putAll(different);
        return ServerReport.of(settings, hasSource);
    }
}
