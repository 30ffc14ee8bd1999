package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.lettuce.core.codec.Base16;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Locale;
import org.springframework.core.io.ClassPathResource;

/** The scripts that Redis runs, each as one step. Their common head is put before each, their functions where it names them. */
enum Script {
    ACQUIRE,
    RELEASE,
    LEAVE,
    RENEW,
    DOWNGRADE,
    DRAINED,
    LOOK,
    RAISE,
    PROBE;

    /** The whole text. */
    final String source;

    /** The digest by which the server knows it once it has run it. */
    final String digest;

    Script() {
        String script = read(name().toLowerCase(Locale.ROOT)).replace("-- prelude.lua", read("prelude"));
        source = read("head") + script.replace("-- queue.lua", read("queue"));
        digest = Base16.digest(source.getBytes(UTF_8));
    }

    private static String read(String name) {
        try {
            return new ClassPathResource(name + ".lua", Script.class).getContentAsString(UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
