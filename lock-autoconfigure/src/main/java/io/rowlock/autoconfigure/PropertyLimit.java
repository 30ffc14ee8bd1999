package io.rowlock.autoconfigure;

import io.rowlock.LockRequest;
import io.rowlock.Printable;
import io.rowlock.interceptor.LockInterceptorSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/** Refuses property values out of their limits, naming the property, the value and the limit. */
final class PropertyLimit {
    /** The shortest time-out and interval of what asks a server. */
    static final Duration SECOND = Duration.ofSeconds(1);

    /** The longest time-out that a thread waits for. */
    static final Duration HOUR = Duration.ofHours(1);

    /** The longest ttl and wait time: row locks cannot wait longer. */
    static final Duration YEAR = Duration.ofDays(365);

    /** The longest retention and interval. Longer ones overflow what servers and timers count with. */
    static final Duration TEN_YEARS = Duration.ofDays(3_650);

    private PropertyLimit() {}

    /**
     * Refuses a value.
     *
     * @param within whether it is possible
     * @param property the name of the property
     * @param value the value
     * @param limit what is possible, as a sentence
     */
    static void require(boolean within, String property, Object value, String limit) {
        if (!within) {
            throw new InvalidConfigurationPropertyValueException(property, shown(value), limit);
        }
    }

    private static String shown(Object value) {
        return value instanceof Duration duration ? Printable.of(duration) : Printable.of(value.toString());
    }

    /**
     * Refuses a value that is out of a range.
     *
     * @param property the name of the property
     * @param value the value
     * @param least the least that is possible
     * @param most the most that is possible
     */
    static <T extends Comparable<T>> void between(String property, T value, T least, T most) {
        boolean within = value.compareTo(least) >= 0 && value.compareTo(most) <= 0;
        require(within, property, value, "It must be %s to %s.".formatted(shown(least), shown(most)));
    }

    /**
     * Refuses a ttl that is not positive, or too long.
     *
     * @param property the name of the property
     * @param ttl the value
     */
    static void ttl(String property, Duration ttl) {
        boolean within = ttl.compareTo(Duration.ZERO) > 0 && ttl.compareTo(YEAR) <= 0;
        require(within, property, ttl, "It must be longer than 0, and at most %s.".formatted(shown(YEAR)));
    }

    /**
     * Refuses a text that is too long, or not printable.
     *
     * @param property the name of the property
     * @param value the value
     * @param most how many bytes of UTF-8 it may have
     */
    static void atMostBytes(String property, String value, int most) {
        int bytes = value.getBytes(StandardCharsets.UTF_8).length;
        require(bytes <= most, property, value, "It has %d bytes of UTF-8, the limit is %d.".formatted(bytes, most));
        printable(property, value);
    }

    /**
     * Refuses a text that moves or hides what is beside it where people read it.
     *
     * @param property the name of the property
     * @param value the value
     */
    static void printable(String property, String value) {
        require(Printable.of(value).equals(value), property, value, "It must have no control characters.");
    }

    /** Refuses settings of the locks of a name. */
    static void check(String name, LockInterceptorSettings.OfName lock) {
        String prefix = LockInterceptorSettings.group(name);
        PropertyMapper set = PropertyMapper.get();
        set.from(lock.ttl()).to(ttl -> ttl(prefix + ".ttl", ttl));
        set.from(lock.waitTime()).to(wait -> between(prefix + ".wait-time", wait, Duration.ZERO, YEAR));
        set.from(lock.holdAtLeast()).to(minimum -> between(prefix + ".hold-at-least", minimum, Duration.ZERO, YEAR));
        set.from(lock.permits()).to(permits -> between(prefix + ".permits", permits, 1, LockRequest.MAX_PERMITS));
    }
}
