package io.rowlock.test.database;

import java.util.Locale;

/** The kinds of server that Rowlock is tested on. They share a dialect but not every locking behaviour. */
public enum ServerFlavor {

    /** Oracle's MySQL, version 8.0 or newer. */
    MYSQL("MySQL", "mysql:9.7"),

    /** MariaDB, version 10.6 or newer. */
    MARIADB("MariaDB", "mariadb:11.4");

    private final String label;
    private final String image;

    ServerFlavor(String label, String image) {
        this.label = label;
        this.image = image;
    }

    /** The name as people write it. */
    public String label() {
        return label;
    }

    String image() {
        return image;
    }

    /** The system property that names a running server, {@code rowlock.test.mysql.url} for MySQL. */
    String property() {
        return "rowlock.test." + name().toLowerCase(Locale.ROOT) + ".url";
    }

    /** The environment variable that does the same; the system property wins. */
    String variable() {
        return "ROWLOCK_TEST_" + name() + "_URL";
    }

    static ServerFlavor ofVersion(String version) {
        return version.contains("MariaDB") ? MARIADB : MYSQL;
    }
}
