package io.rowlock.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.system.CapturedOutput;

@OnServer(ServerFlavor.MYSQL)
class MySqlRedisFenceTests extends RedisFenceContract {
    /** The embedded MariaDB does not check rights. */
    @Test
    void missingRightStopsTheStart(CapturedOutput output) {
        String user = schema().userWithoutRights();
        for (String table : List.of("lock", "lock_log", "unique_key", "unique_key_stripe", "row", "schema_history")) {
            schema().grant("SELECT, INSERT, UPDATE, DELETE", schema().schema().name() + ".rowlock_" + table, user);
        }
        schema().grant("SELECT, INSERT", schema().schema().name() + ".rowlock_fence", user);
        assertThatException()
                .isThrownBy(() -> application()
                        .withUser(user)
                        .with("rowlock.schema.initialize", "validate")
                        .start());
        assertThat(output).contains("APPLICATION FAILED TO START", "UPDATE command denied", "rowlock_fence");
        schema().grant("UPDATE", schema().schema().name() + ".rowlock_fence", user);
        application()
                .withUser(user)
                .with("rowlock.schema.initialize", "validate")
                .start()
                .close();
    }
}
