package io.rowlock.autoconfigure.database;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A JDBC URL, as far as locks care: which database it leads to, and which parameters it sets.
 *
 * @param value the URL
 */
record JdbcUrl(String value) {
    /** Also with a mode, by which the driver would open another connection in place of one that failed, as no pool has prepared it. */
    private static final Pattern HOSTS = Pattern.compile(
            "(?<driver>jdbc:(?:mysql|mariadb))(?::[a-z-]+)?://(?<hosts>[^/,()=@]+(?:,[^/,()=@]+)*)(?<rest>/.*)");

    /** Up to the hosts; not if a user stands before them. */
    private static final Pattern SHOWN = Pattern.compile(
            "jdbc(?::[a-z0-9+-]+)+://(?:[\\w.-]+|\\[[0-9a-fA-F:.]+])(?::\\d+)?(?:,(?:[\\w.-]+|\\[[0-9a-fA-F:.]+])(?::\\d+)?)*(?=[/?;#]|$)");

    private static final List<String> EMBEDDED = List.of("jdbc:h2:", "jdbc:hsqldb:", "jdbc:derby:");

    /** The URL without its parameters. */
    String database() {
        int query = value.indexOf('?');
        return query < 0 ? value : value.substring(0, query);
    }

    /** Returns true if its driver speaks MySQL's protocol, as far as the URL tells. */
    boolean leadsToMysql() {
        return value.contains(":mysql:") || value.contains(":mariadb:");
    }

    /** Returns true if it leads to a database that applications run inside themselves, usually for tests. */
    boolean isEmbedded() {
        return EMBEDDED.stream().anyMatch(value::startsWith);
    }

    /** The URLs of the servers it names, in its order; itself if it names them in a way of its driver's own. */
    List<JdbcUrl> hosts() {
        Matcher named = HOSTS.matcher(value);
        if (!named.matches()) {
            return List.of(this);
        }
        return Arrays.stream(named.group("hosts").split(","))
                .map(host -> new JdbcUrl(named.group("driver") + "://" + host + named.group("rest")))
                .toList();
    }

    /** The URL without some of its parameters. Their names are compared as both drivers do, ignoring case. */
    JdbcUrl without(Set<String> parameters) {
        String database = database();
        if (database.length() == value.length()) {
            return this;
        }
        Set<String> unwanted =
                parameters.stream().map(name -> name.toLowerCase(Locale.ROOT)).collect(Collectors.toSet());
        String rest = Arrays.stream(value.substring(database.length() + 1).split("&"))
                .filter(pair -> !unwanted.contains(pair.replaceFirst("=.*", "").toLowerCase(Locale.ROOT)))
                .collect(Collectors.joining("&"));
        return new JdbcUrl(rest.isEmpty() ? database : database + "?" + rest);
    }

    /** Shows the scheme and the hosts: user, parameters, and with some drivers any other part may hold a password. */
    @Override
    public String toString() {
        Matcher shown = SHOWN.matcher(value);
        return shown.lookingAt()
                ? shown.group()
                : String.join(":", Arrays.stream(value.split(":")).limit(2).toList());
    }
}
