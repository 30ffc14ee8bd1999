package io.rowlock.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.Http;
import io.rowlock.test.OnServer;
import io.rowlock.test.ServerFlavor;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

@OnServer(ServerFlavor.MYSQL)
class MySqlEndpointTests extends EndpointContract {
    @Test
    void rowLocksOfOtherNodesAreSeenAsSessionsAndEnded() {
        HeldLock lock = other.lock(
                LockRequest.exclusive("far row").withStrategy("row-lock").withTtl(Duration.ofSeconds(12)));
        Http.Answer answer = http.get("rowlock/far%20row");
        Map<String, Object> seen = answer.at("$.holders[0]");
        assertThat(seen)
                .containsEntry("key", "far row")
                .containsEntry("strategy", "row-lock")
                .containsEntry("mode", "EXCLUSIVE")
                .containsEntry("thisNode", false)
                .doesNotContainKeys("token", "since");
        assertThat((String) seen.get("owner")).matches("session \\d+ of root@.*");
        assertThat(http.delete("rowlock/far%20row").status()).isEqualTo(204);
        locks.acquire(LockRequest.exclusive("far row").withStrategy("row-lock")).close();
        await().until(() -> !lock.isHeld());
        lock.close();
    }
}
