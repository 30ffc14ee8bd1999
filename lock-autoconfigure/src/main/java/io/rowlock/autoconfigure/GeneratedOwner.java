package io.rowlock.autoconfigure;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.util.HexFormat;

/** Makes up a name for this process that is readable in the tables and that no other process or client has. */
final class GeneratedOwner {
    static final int MAX_LENGTH = 100;
    private static final int MAX_HOST_LENGTH = 50;
    private static final SecureRandom RANDOM = new SecureRandom();

    private GeneratedOwner() {}

    /** Refuses a name of the properties. */
    static void check(String owner) {
        PropertyLimit.require(
                !owner.isBlank() && owner.length() <= MAX_LENGTH,
                "rowlock.owner",
                owner,
                "It has %d characters, 1 to %d are possible."
                        .formatted(owner.strip().length(), MAX_LENGTH));
        PropertyLimit.printable("rowlock.owner", owner);
    }

    static String of(String applicationName) {
        String random = HexFormat.of().toHexDigits(RANDOM.nextInt());
        return of(applicationName, host(), ProcessHandle.current().pid(), random);
    }

    static String of(String applicationName, String host, long pid, String random) {
        String place = "@" + shortened(host, MAX_HOST_LENGTH) + "#" + pid + "-" + random;
        return shortened(applicationName, MAX_LENGTH - place.length()) + place;
    }

    private static String shortened(String text, int length) {
        return text.length() <= length ? text : text.substring(0, length);
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException ex) {
            return "unknown-host";
        }
    }
}
