package io.rowlock.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import io.rowlock.test.database.TestSchema;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;

/** Runs small test classes from within and looks at what is left of them. */
@Isolated("an application that starts sets the logging of the JVM up anew")
@OnServer
class ClassLifecycleTests {

    private static final List<TestSchema> SEEN = new CopyOnWriteArrayList<>();
    private static final List<ConfigurableApplicationContext> CONTEXTS = new CopyOnWriteArrayList<>();

    @BeforeEach
    void forget() {
        SEEN.clear();
        CONTEXTS.clear();
    }

    @Test
    void eachRunOfAClassHasASchemaOfItsOwnAndDropsIt(TestSchema mine) {
        run(PlainCase.class, 2);
        run(PlainCase.class, 2);
        assertThat(SEEN).hasSize(4);
        assertThat(SEEN.get(0)).isEqualTo(SEEN.get(1));
        assertThat(SEEN.get(2)).isEqualTo(SEEN.get(3)).isNotEqualTo(SEEN.get(0));
        assertThat(databases(mine))
                .contains(mine.name())
                .doesNotContain(SEEN.get(0).name(), SEEN.get(2).name());
    }

    @Test
    void applicationIsClosedBeforeItsSchemaIsDroppedAndNotReused(TestSchema mine) {
        run(BootCase.class, 1);
        run(BootCase.class, 1);
        assertThat(CONTEXTS).hasSize(2).doesNotHaveDuplicates().noneMatch(ConfigurableApplicationContext::isActive);
        assertThat(databases(mine))
                .doesNotContain(SEEN.get(0).name(), SEEN.get(1).name());
    }

    private static void run(Class<?> testClass, int tests) {
        EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(testClass))
                .execute()
                .testEvents()
                .assertStatistics(statistics -> statistics.succeeded(tests).failed(0));
    }

    private static List<String> databases(TestSchema schema) {
        return new JdbcTemplate(schema.dataSource()).queryForList("SHOW DATABASES", String.class);
    }

    @OnServer
    static class PlainCase {

        @Test
        void first(TestSchema schema) {
            SEEN.add(schema);
        }

        @Test
        void second(TestSchema schema) {
            SEEN.add(schema);
        }
    }

    @SpringBootTest(classes = SpringBootOnServerTests.Application.class)
    @OnServer
    static class BootCase {

        @Test
        void only(TestSchema schema, @Autowired ConfigurableApplicationContext context) {
            SEEN.add(schema);
            CONTEXTS.add(context);
        }
    }
}
