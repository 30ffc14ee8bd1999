package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.NettyCustomizer;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledDirectByteBuf;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.ChannelOption;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** An Error in the middle of an answer ends its connection. */
@OnRedis
class ErrorsInAnswersTests {
    /** Counts down the parts of answers that the driver reads, and throws once at zero, as a stack that overflows there does. */
    private final AtomicInteger partsUntilOverflow = new AtomicInteger();

    private final class Overflowing extends AbstractByteBufAllocator {
        @Override
        protected ByteBuf newHeapBuffer(int capacity, int most) {
            return new UnpooledHeapByteBuf(this, capacity, most) {
                @Override
                public byte readByte() {
                    if (partsUntilOverflow.get() > 0 && partsUntilOverflow.decrementAndGet() == 0) {
                        throw new StackOverflowError("in the middle of an answer");
                    }
                    return super.readByte();
                }
            };
        }

        @Override
        protected ByteBuf newDirectBuffer(int capacity, int most) {
            return new UnpooledDirectByteBuf(this, capacity, most);
        }

        @Override
        public boolean isDirectBufferPooled() {
            return false;
        }
    }

    private ClientResources overflowing() {
        NettyCustomizer customizer = new NettyCustomizer() {
            @Override
            public void afterBootstrapInitialized(Bootstrap bootstrap) {
                bootstrap.option(ChannelOption.ALLOCATOR, new Overflowing());
            }
        };
        ClientResources shared =
                TestRedis.RESOURCES.mutate().nettyCustomizer(customizer).build();
        return LettuceOptions.resources(shared, RedisSettings.DEFAULT);
    }

    @Test
    void nextCommandDoesNotGetTheFormersAnswer(RedisServer server) throws Exception {
        RedisClient client = RedisClient.create(overflowing(), server.uri());
        LettuceOptions.apply(client, RedisSettings.DEFAULT);
        try (var connection = client.connect()) {
            RedisAsyncCommands<String, String> commands = connection.async();
            commands.mset(Map.of("e:former", "the former's", "e:own", "own")).get(10, TimeUnit.SECONDS);
            partsUntilOverflow.set(1);
            RedisFuture<String> former = commands.get("e:former");
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> former.get(10, TimeUnit.SECONDS))
                    .withCauseInstanceOf(StackOverflowError.class);
            List<String> answers = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                try {
                    answers.add(commands.get("e:own").get(10, TimeUnit.SECONDS));
                } catch (ExecutionException e) {
                    assertThat(e).hasCauseInstanceOf(RedisException.class);
                }
            }
            assertThat(answers).allMatch("own"::equals);
            await().ignoreExceptions()
                    .until(() -> "own".equals(commands.get("e:own").get(10, TimeUnit.SECONDS)));
        } finally {
            client.shutdown();
        }
    }
}
