package io.rowlock.test.database;

import java.sql.SQLException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** A server that the user runs and names by a system property or an environment variable. */
record NamedServer(UnaryOperator<@Nullable String> properties, UnaryOperator<@Nullable String> environment)
        implements ServerSource {

    @Override
    public DatabaseServer open(ServerFlavor flavor) throws Unavailable {
        String url = properties.apply(flavor.property());
        if (url == null || url.isBlank()) {
            url = environment.apply(flavor.variable());
        }
        if (url == null || url.isBlank()) {
            throw new Unavailable(flavor.variable() + " is not set");
        }
        return connect(url.strip(), flavor);
    }

    private static DatabaseServer connect(String url, ServerFlavor flavor) {
        ServerAddress address = ServerAddress.parse(url).plainOnLoopback();
        DatabaseServer server;
        try {
            server = DatabaseServer.at(address, "named server");
        } catch (SQLException e) {
            throw new IllegalStateException(
                    "The server named by %s or %s does not answer at %s"
                            .formatted(flavor.property(), flavor.variable(), address.hosts()),
                    e);
        }
        if (server.flavor() != flavor) {
            throw new IllegalStateException("%s or %s names %s, not a %s"
                    .formatted(flavor.property(), flavor.variable(), server, flavor.label()));
        }
        return server;
    }
}
