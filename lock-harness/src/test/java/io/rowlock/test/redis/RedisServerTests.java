package io.rowlock.test.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisServerTests {
    @TempDir
    Path directory;

    @Test
    void serverStartsAgainAtItsPortWithWhatItHasKept() throws IOException {
        assumeTrue(LocalRedis.isInstalled(), "redis-server is not installed");
        RedisServer server =
                RedisServer.start("--appendonly", "yes", "--appendfsync", "always", "--dir", directory.toString());
        try {
            String uri = server.uri();
            on(uri, commands -> commands.set("kept", "yes"));
            server.stop();
            server.startAgain();
            assertThat(on(uri, commands -> commands.get("kept"))).isEqualTo("yes");
        } finally {
            server.stop();
        }
    }

    private static String on(String uri, Function<RedisCommands<String, String>, String> work) {
        RedisClient client = RedisClient.create(uri);
        try (var connection = client.connect()) {
            return work.apply(connection.sync());
        } finally {
            client.shutdown();
        }
    }
}
