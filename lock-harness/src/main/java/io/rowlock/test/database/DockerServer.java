package io.rowlock.test.database;

import io.rowlock.test.embedded.QuietLogger;
import java.util.Locale;
import java.util.Map;
import org.springframework.util.ClassUtils;
import org.testcontainers.DockerClientFactory;
import org.testcontainers.containers.JdbcDatabaseContainer;
import org.testcontainers.mariadb.MariaDBContainer;
import org.testcontainers.mysql.MySQLContainer;
import org.testcontainers.utility.DockerImageName;

/** A container that Testcontainers starts and, through its reaper, removes after the JVM has ended. */
record DockerServer() implements ServerSource {

    @Override
    public DatabaseServer open(ServerFlavor flavor) throws Unavailable {
        return open(flavor, flavor.image());
    }

    /** @param image one of that flavour, in whatever version */
    static DatabaseServer open(ServerFlavor flavor, String image) throws Unavailable {
        if (!ClassUtils.isPresent("org.testcontainers.DockerClientFactory", DockerServer.class.getClassLoader())) {
            throw new Unavailable("Testcontainers is not on the class path (org.testcontainers:testcontainers-%s)"
                    .formatted(flavor.label().toLowerCase(Locale.ROOT)));
        }
        return Container.open(flavor, image);
    }

    /** Loaded only if Testcontainers is there. */
    private static final class Container {

        static DatabaseServer open(ServerFlavor flavor, String name) throws Unavailable {
            if (!dockerAnswers()) {
                throw new Unavailable("Docker is not available");
            }
            // The reaper stops the container, not this code: it outlives the JVM's own end, however that comes.
            JdbcDatabaseContainer<?> container = containerOf(flavor, DockerImageName.parse(name));
            try {
                container.start();
                return DatabaseServer.at(addressOf(container), "Docker " + name);
            } catch (Exception e) {
                container.stop();
                throw new Unavailable("Docker could not start " + name, e);
            }
        }

        private static boolean dockerAnswers() {
            // Without Docker this logs a block of errors, though having none is nothing unusual.
            try (QuietLogger quiet = QuietLogger.off("org.testcontainers")) {
                return DockerClientFactory.instance().isDockerAvailable();
            }
        }

        private static JdbcDatabaseContainer<?> containerOf(ServerFlavor flavor, DockerImageName image) {
            JdbcDatabaseContainer<?> container = switch (flavor) {
                case MYSQL -> new MySQLContainer(image);
                case MARIADB -> new MariaDBContainer(image);
            };
            // root, since the container's usual user may not create schemas
            return container.withUsername("root").withPassword("rowlock");
        }

        private static ServerAddress addressOf(JdbcDatabaseContainer<?> container) {
            return new ServerAddress(
                    container.getHost() + ":" + container.getMappedPort(3306),
                    container.getUsername(),
                    container.getPassword(),
                    Map.of("sslMode", "DISABLED", "allowPublicKeyRetrieval", "true"));
        }
    }
}
