package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts that Redis runs, each as one step. What they have in common is put before each. */
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

    private final String source;
    private final String digest;

    Script() {
        source = read("prelude") + read(name().toLowerCase(Locale.ROOT));
        digest = HexFormat.of().formatHex(sha1().digest(source.getBytes(UTF_8)));
    }

    private static String read(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("The script " + name + ".lua is not in the jar");
            }
            return new String(in.readAllBytes(), UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static MessageDigest sha1() {
        try {
            return MessageDigest.getInstance("SHA-1");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The whole text. */
    String source() {
        return source;
    }

    /** The digest by which the server knows it once it has run it. */
    String digest() {
        return digest;
    }
}
