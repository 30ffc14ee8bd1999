package io.rowlock.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@OnServer(ServerFlavor.MARIADB)
@Tag("full")
class MariaDbEndpointTests extends EndpointContract {
    @Test
    void rowLocksOfOtherNodesCannotBeSeen() {
        try (HeldLock lock = other.lock(LockRequest.exclusive("far row").withStrategy("row-lock"))) {
            Http.Answer answer = http.delete("rowlock/far%20row");
            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.<String>at("$.error")).contains("Row locks of other nodes");
            assertThat(lock.isHeld()).isTrue();
        }
    }
}
