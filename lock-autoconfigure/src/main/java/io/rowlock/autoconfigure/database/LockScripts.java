package io.rowlock.autoconfigure.database;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

/**
 * The scripts of the lock tables for Flyway, whose own search knows folders and jars but not a native image, where both are
 * missing. Found the same way everywhere, so that every test with tables tests it.
 */
final class LockScripts implements ResourceProvider {
    static final String FOLDER = "db/rowlock/mysql/";

    private final List<Script> scripts;

    /** @throws FlywayException if there is no script, or none can be read */
    LockScripts(@Nullable ClassLoader classLoader) {
        try {
            Resource[] found =
                    new PathMatchingResourcePatternResolver(classLoader).getResources("classpath*:" + FOLDER + "*.sql");
            scripts = Stream.of(found).map(Script::new).toList();
        } catch (IOException ex) {
            throw new FlywayException("The scripts in " + FOLDER + " cannot be read", ex);
        }
        if (scripts.isEmpty()) {
            throw new FlywayException("There is no script in " + FOLDER);
        }
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
                .<LoadableResource>map(script -> script)
                .toList();
    }

    private static final class Script extends LoadableResource {
        private final Resource resource;
        private final String name;

        Script(Resource resource) {
            this.resource = resource;
            this.name = Objects.requireNonNull(resource.getFilename(), "A script without a name");
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
            return FOLDER + name;
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
