package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.lettuce.core.resource.Delay;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
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
    void twoCommandsAtMostAreSentTogether() {
        ClientResources shared = DefaultClientResources.create();
        EmbeddedChannel connection = new EmbeddedChannel();
        LettuceOptions.resources(shared, RedisSettings.DEFAULT)
                .nettyCustomizer()
                .afterChannelInitialized(connection);
        AtomicInteger packets = new AtomicInteger();
        connection.pipeline().addFirst(new ChannelOutboundHandlerAdapter() {
            @Override
            public void flush(ChannelHandlerContext context) {
                packets.incrementAndGet();
            }
        });
        List<Integer> sent = new ArrayList<>();
        for (int command = 0; command < 5; command++) {
            connection.pipeline().flush(); // the driver's, after each command
            sent.add(packets.get());
        }
        assertThat(sent).containsExactly(0, 1, 1, 2, 2);
        connection.runPendingTasks();
        assertThat(packets).as("the last waits for no other").hasValue(3);
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
