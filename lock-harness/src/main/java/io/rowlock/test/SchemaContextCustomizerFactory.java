package io.rowlock.test;

import io.rowlock.test.database.TestSchema;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.test.context.ContextConfigurationAttributes;
import org.springframework.test.context.ContextCustomizer;
import org.springframework.test.context.ContextCustomizerFactory;
import org.springframework.test.context.MergedContextConfiguration;

/** Points the application context of a test with {@link OnServer} to the class's schema. */
final class SchemaContextCustomizerFactory implements ContextCustomizerFactory {

    @Override
    public @Nullable ContextCustomizer createContextCustomizer(
            Class<?> testClass, List<ContextConfigurationAttributes> attributes) {
        return ClassSchema.find(testClass).map(SchemaContextCustomizer::new).orElse(null);
    }

    /** Part of the key under which Spring caches contexts; a schema equals itself only, so no two classes share one. */
    private record SchemaContextCustomizer(ClassSchema schema) implements ContextCustomizer {

        @Override
        public void customizeContext(ConfigurableApplicationContext context, MergedContextConfiguration configuration) {
            TestSchema test = schema.get();
            context.getEnvironment()
                    .getPropertySources()
                    .addFirst(new MapPropertySource(
                            "rowlockTestSchema",
                            Map.of(
                                    "spring.datasource.url", test.jdbcUrl(),
                                    "spring.datasource.username", test.username(),
                                    "spring.datasource.password", test.password())));
            // Its background threads would go on talking to a schema that is gone.
            schema.stopBeforeDrop(context::close);
        }
    }
}
