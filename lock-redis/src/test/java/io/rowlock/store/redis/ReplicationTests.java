package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The connections on which replicas are waited for: what goes wrong with one takes no place from the next. */
class ReplicationTests {
    private static final int MORE_THAN_THERE_ARE = 9;

    private final RedisSettings settings = RedisSettings.DEFAULT.withMinReplicas(1, Duration.ofSeconds(1));
    private final RedisServers<?> servers = mock(RedisServers.class);
    private final RedisScripts scripts = new RedisScripts(servers, settings);
    private final Replication replication = new Replication(scripts);

    private void acquire() {
        var call = RedisScripts.Call.of(Script.ACQUIRE, "a");
        replication.acquire(call, () -> call);
    }

    @Test
    void oneThatCannotBeOpened() {
        when(servers.open()).thenThrow(new StackOverflowError("no room to connect"));
        for (int i = 0; i < MORE_THAN_THERE_ARE; i++) {
            assertThatThrownBy(this::acquire).hasStackTraceContaining("no room to connect");
        }
    }

    @Test
    void oneThatCannotBeClosed() {
        StatefulConnection<String, String> opened = mock();
        doThrow(new IllegalStateException("cannot be closed")).when(opened).close();
        RedisClusterAsyncCommands<String, String> commands = mock();
        when(commands.dispatch(any(), any(), any())).thenThrow(new RedisCommandExecutionException("ERR wrong"));
        when(servers.serverOf(anyString())).thenReturn("");
        when(servers.open()).thenAnswer(call -> new RedisServers.OwnConnection(opened, key -> commands));
        for (int i = 0; i < MORE_THAN_THERE_ARE; i++) {
            assertThatThrownBy(this::acquire).hasStackTraceContaining("cannot be closed");
        }
    }
}
