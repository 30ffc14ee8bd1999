package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;

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

    @Test
    void databaseIgnoresParametersAndShowsNoPassword() {
        assertThat(new JdbcUrl("jdbc:mysql://h/db?password=secret")).hasToString("jdbc:mysql://h/db");
    }

    @Test
    void onlyMysqlAndMariadbQualify() {
        assertThat(new JdbcUrl("jdbc:mysql://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:mariadb://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:aws-wrapper:mysql://h/db").leadsToMysql()).isTrue();
        assertThat(new JdbcUrl("jdbc:h2:mem:db").leadsToMysql()).isFalse();
    }
}
