package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What the driver is set to, whatever an application has set. */
class LettuceOptionsTests {
    @Test
    void clientReconnectsSoonHoweverLongTheServerWasAway() {
        ClientResources shared = DefaultClientResources.create();
        ClientResources resources = LettuceOptions.resources(shared, RedisSettings.DEFAULT);
        Delay delay = resources.reconnectDelay();
        assertThat(delay.createDelay(1)).isEqualTo(Duration.ofMillis(100));
        assertThat(delay.createDelay(100)).isEqualTo(Duration.ofMillis(100));
        var unused = shared.shutdown();
    }

    @Test
    void nothingIsReplayedOrQueuedAndConnectingTakesNoLongerThanACommand() {
        RedisClient client = RedisClient.create();
        client.setOptions(ClientOptions.builder()
                .replayFilter(command -> false)
                .autoReconnect(false)
                .build());
        LettuceOptions.apply(client, RedisSettings.DEFAULT);
        ClientOptions options = client.getOptions();
        assertThat(options.isAutoReconnect()).isTrue();
        assertThat(options.getDisconnectedBehavior()).isEqualTo(ClientOptions.DisconnectedBehavior.REJECT_COMMANDS);
        assertThat(options.getReplayFilter().test(null)).isTrue();
        assertThat(options.getSocketOptions().getConnectTimeout()).isEqualTo(RedisSettings.DEFAULT.commandTimeout());
        client.setOptions(ClientOptions.builder()
                .socketOptions(SocketOptions.builder()
                        .connectTimeout(Duration.ofMillis(500))
                        .build())
                .build());
        LettuceOptions.apply(client, RedisSettings.DEFAULT);
        assertThat(client.getOptions().getSocketOptions().getConnectTimeout()).isEqualTo(Duration.ofMillis(500));
        client.shutdown();
    }
}
