package io.rowlock.test.database;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks for a server of each flavour once a JVM and remembers what came of it, be it nothing. */
public final class ServerSearch {

    private static final Logger log = LoggerFactory.getLogger(DatabaseServer.class);

    private static final ServerSearch JVM = new ServerSearch(
            List.of(new NamedServer(System::getProperty, System::getenv), new DockerServer(), new EmbeddedServer()));

    private static final ServerSearch MARIADB_118 = new ServerSearch(
            List.of(flavor -> DockerServer.open(flavor, "mariadb:11.8"), new UnpackedMariaDb("mariadb-11.8.sh")));

    private final List<ServerSource> sources;

    /** Guarded by this; no thread may start a second server while the first is starting. */
    private final Map<ServerFlavor, Result> results = new EnumMap<>(ServerFlavor.class);

    ServerSearch(List<ServerSource> sources) {
        this.sources = List.copyOf(sources);
    }

    public static Result result(ServerFlavor flavor) {
        return JVM.find(flavor);
    }

    /** Looks for a MariaDB 11.8, which is there beside the usual one. */
    public static Result mariaDb118() {
        return MARIADB_118.find(ServerFlavor.MARIADB);
    }

    synchronized Result find(ServerFlavor flavor) {
        Result known = results.get(flavor);
        if (known == null) {
            known = search(flavor);
            results.put(flavor, known);
            known.report();
        }
        return known;
    }

    private Result search(ServerFlavor flavor) {
        List<String> reasons = new ArrayList<>();
        for (ServerSource source : sources) {
            try {
                return new Result(source.open(flavor), "");
            } catch (ServerSource.Unavailable e) {
                reasons.add(e.getMessage());
            }
        }
        return new Result(
                null,
                "No %s for tests: %s. Set %s=jdbc:mysql://host:port/?user=name&password=word or start Docker."
                        .formatted(flavor.label(), String.join("; ", reasons), flavor.variable()));
    }

    /**
     * What a search came to.
     *
     * @param explanation why there is no server and how to provide one; empty if there is one
     */
    public record Result(@Nullable DatabaseServer found, String explanation) {

        public Optional<DatabaseServer> server() {
            return Optional.ofNullable(found);
        }

        private void report() {
            if (found == null) {
                log.warn("{} Its tests are skipped.", explanation);
            } else {
                log.info("Tests run on {}", found);
            }
        }
    }
}
