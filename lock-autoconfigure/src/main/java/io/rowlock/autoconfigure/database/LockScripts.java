package io.rowlock.autoconfigure.database;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

/**
 * The scripts of the lock tables for Flyway, whose own search knows folders and jars but not a native image, where both are
 * missing. Found the same way everywhere, so that every test with tables tests it.
 */
final class LockScripts implements ResourceProvider {
    private static final String FOLDER = "db/rowlock/mysql/";

    private final List<Script> scripts;

    LockScripts(@Nullable ClassLoader classLoader) {
        scripts = LockMigration.ALL.stream()
                .map(migration ->
                        new Script(migration.script(), new ClassPathResource(FOLDER + migration.script(), classLoader)))
                .toList();
    }

    @Override
    public @Nullable LoadableResource getResource(String name) {
        return scripts.stream()
                .filter(script -> script.getAbsolutePath().equals(name) || script.name.equals(name))
                .findFirst()
                .orElse(null);
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return scripts.stream()
                .filter(script -> script.name.startsWith(prefix)
                        && Arrays.stream(suffixes).anyMatch(script.name::endsWith))
                .<LoadableResource>map(script -> script)
                .toList();
    }

    private static final class Script extends LoadableResource {
        private final String name;
        private final ClassPathResource resource;

        Script(String name, ClassPathResource resource) {
            this.name = name;
            this.resource = resource;
        }

        @Override
        public Reader read() {
            try {
                return new InputStreamReader(resource.getInputStream(), StandardCharsets.UTF_8);
            } catch (IOException ex) {
                throw new UncheckedIOException(resource + " cannot be read", ex);
            }
        }

        @Override
        public String getAbsolutePath() {
            return resource.getPath();
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return resource.getDescription();
        }

        @Override
        public String getFilename() {
            return name;
        }

        @Override
        public String getRelativePath() {
            return name;
        }
    }
}
