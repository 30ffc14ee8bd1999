package io.rowlock.autoconfigure.database;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.flywaydb.core.api.Location;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.flywaydb.core.internal.resource.classpath.ClassPathResource;
import org.jspecify.annotations.Nullable;

/**
 * The scripts of the lock tables for Flyway, whose own search knows folders and jars but not a native image, where both are
 * missing. Found the same way everywhere, so that every test with tables tests it.
 */
record LockScripts(List<LoadableResource> scripts) implements ResourceProvider {
    private static final String FOLDER = "db/rowlock/mysql";

    static LockScripts in(ClassLoader classLoader) {
        Location folder = Location.fromPath("classpath:", FOLDER);
        return new LockScripts(LockMigration.ALL.stream()
                .<LoadableResource>map(migration -> new ClassPathResource(
                        folder, FOLDER + "/" + migration.script(), classLoader, StandardCharsets.UTF_8))
                .toList());
    }

    @Override
    public @Nullable LoadableResource getResource(String name) {
        return scripts.stream()
                .filter(script -> script.getAbsolutePath().equals(name)
                        || script.getFilename().equals(name))
                .findFirst()
                .orElse(null);
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return scripts.stream()
                .filter(script -> script.getFilename().startsWith(prefix)
                        && Arrays.stream(suffixes).anyMatch(script.getFilename()::endsWith))
                .toList();
    }
}
