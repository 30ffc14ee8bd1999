package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.autoconfigure.RowlockProperties;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JdbcUrlTests {
    @Test
    void unwantedParametersAreRemovedIgnoringCase() {
        JdbcUrl url = new JdbcUrl("jdbc:mysql://h/db?user=u&USEAFFECTEDROWS=true&password=a=b&autoReconnect=true");
        assertThat(url.without(Set.of("useAffectedRows", "autoReconnect")).value())
                .isEqualTo("jdbc:mysql://h/db?user=u&password=a=b");
    }

    @Test
    void urlWithoutParametersStaysAsItIs() {
        JdbcUrl url = new JdbcUrl("jdbc:mariadb://h/db");
        assertThat(url.without(Set.of("user"))).isEqualTo(url);
        assertThat(new JdbcUrl("jdbc:mariadb://h/db?user=u").without(Set.of("user")))
                .isEqualTo(url);
    }

    @ParameterizedTest
    @CsvSource({
        "jdbc:mysql://h:3306/db?password=secret, jdbc:mysql://h:3306",
        "'jdbc:mysql://a:1,b/db?password=secret', 'jdbc:mysql://a:1,b'",
        "jdbc:mysql:loadbalance://a/db, jdbc:mysql:loadbalance://a",
        "jdbc:mysql://[::1]:3306/db, jdbc:mysql://[::1]:3306",
        "jdbc:mysql://root:secret@h/db, jdbc:mysql",
        "jdbc:mysql://root:12@h/db, jdbc:mysql",
        "jdbc:mysql://(host=h;password=secret)/db, jdbc:mysql",
        "jdbc:sqlserver://h:1433;databaseName=x;password=secret, jdbc:sqlserver://h:1433",
        "jdbc:oracle:thin:scott/secret@//h:1521/s, jdbc:oracle",
        "jdbc:h2:mem:x;PASSWORD=secret, jdbc:h2",
        "jdbc:h2:tcp://h/~/x;PASSWORD=secret, jdbc:h2:tcp://h"
    })
    void onlySchemeAndHostAreShown(String value, String shown) {
        assertThat(new JdbcUrl(value)).hasToString(shown);
    }

    @Test
    void hostsAreTakenApart() {
        assertThat(new JdbcUrl("jdbc:mysql://a:1,b,c:3/db?x=y,z").hosts())
                .extracting(JdbcUrl::value)
                .containsExactly("jdbc:mysql://a:1/db?x=y,z", "jdbc:mysql://b/db?x=y,z", "jdbc:mysql://c:3/db?x=y,z");
    }

    /** A connection that the driver opened in place of one that failed would not be prepared. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "mariadb:sequential",
                "mariadb:load-balance",
                "mariadb:replication",
                "mysql:loadbalance",
                "mysql:replication"
            })
    void modeInWhichTheDriverChoosesIsLeftOut(String mode) {
        String plain = "jdbc:" + mode.replaceFirst(":.*", "");
        assertThat(new JdbcUrl("jdbc:" + mode + "://a,b/db").hosts())
                .extracting(JdbcUrl::value)
                .containsExactly(plain + "://a/db", plain + "://b/db");
        assertThat(new JdbcUrl("jdbc:" + mode + "://[::1]:3306/db?x=y").hosts())
                .extracting(JdbcUrl::value)
                .containsExactly(plain + "://[::1]:3306/db?x=y");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jdbc:mysql://a/db?x=y,z",
                "jdbc:mysql://address=(host=a)(port=1),address=(host=b)/db",
                "jdbc:mysql://u:p@a,b/db"
            })
    void whatNamesOneHostOrInAnotherWayIsLeftAsItIs(String value) {
        JdbcUrl url = new JdbcUrl(value);
        assertThat(url.hosts()).containsExactly(url);
    }

    @Test
    void onlyMysqlAndMariadbQualify() {
        assertThat(new JdbcUrl("jdbc:mysql://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:mariadb://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:aws-wrapper:mysql://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:h2:mem:db").leadsToMysql()).isFalse();
    }

    /** A driver that wraps another passes the settings on, and needs them as that one does. */
    @ParameterizedTest
    @ValueSource(
            strings = {"jdbc:mysql://h/db", "jdbc:aws-wrapper:mysql://h/db", "jdbc:p6spy:mysql:replication://a,b/db"})
    void settingsOfMysqlsDriverAreThoseOfItsWrappers(String value) {
        var pool = new RowlockProperties.Pool(8, Duration.ofSeconds(2), Duration.ofSeconds(3));
        assertThat(DriverSettings.of(new JdbcUrl(value), pool))
                .containsEntry("autoReconnect", "false")
                .containsEntry("autoReconnectForPools", "false")
                .containsEntry("emulateUnsupportedPstmts", "false");
        assertThat(DriverSettings.of(new JdbcUrl(value.replace("mysql", "mariadb")), pool))
                .doesNotContainKeys("autoReconnect", "emulateUnsupportedPstmts");
    }
}
