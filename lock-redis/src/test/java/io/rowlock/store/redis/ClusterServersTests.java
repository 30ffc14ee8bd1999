package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ClusterServersTests {
    private static final String KEY = new LockKeys("rowlock:").gate("\u3053\u3093\u306b\u3061\u306f");

    /** As is a service without a locale, before Java 18. With another slot, renewals and clocks of different servers would be mixed up. */
    @Test
    void slotIsTheServersThoughTheProcessHasAnotherCharset() throws Exception {
        Process child = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dfile.encoding=US-ASCII",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Child.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        assertThat(child.getInputStream().readAllBytes())
                .asString(UTF_8)
                .isEqualTo("slot " + SlotHash.getSlot(KEY.getBytes(UTF_8)));
        assertThat(child.waitFor()).isZero();
    }

    static final class Child {
        public static void main(String[] args) {
            System.out.print("slot " + new ClusterServers(mock(RedisClusterClient.class)).slot(KEY));
        }
    }
}
