package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;

@OnServer(ServerFlavor.MARIADB)
class MariaDbServerTests extends ServerContract {

    MariaDbServerTests() {
        super(ServerFlavor.MARIADB);
    }

    @Test
    void embeddedServerListensOnLoopbackOnly(DatabaseServer server, DataSource dataSource) {
        assumeTrue(server.toString().contains("embedded"), "another server was named");
        assertThat(new JdbcTemplate(dataSource).queryForObject("SELECT @@bind_address", String.class))
                .isEqualTo("127.0.0.1");
    }
}
