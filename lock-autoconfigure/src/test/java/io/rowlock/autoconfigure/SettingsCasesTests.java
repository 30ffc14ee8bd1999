package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockRequest;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ClassPathResource;

/**
 * Starts an application with every property set wrongly in every way that was found. Each value is refused or warned of by a
 * sentence, or does what it says. The cases are in {@code settings/cases.txt}.
 */
@OnServer
@OnRedis
@ExtendWith(OutputCaptureExtension.class)
class SettingsCasesTests {
    /** System properties of the build, whose names no application knows. */
    private static final Pattern OF_THE_BUILD = Pattern.compile("rowlock\\.(stress|faults)\\.seconds is not known");

    private static FreshSchema schema;
    private static RedisServer redis;

    @BeforeAll
    static void createSchema(DatabaseServer server, RedisServer found) {
        schema = FreshSchema.on(server);
        redis = found;
        new TestApplication(schema).start().close(); // creates the tables
    }

    @AfterAll
    static void dropSchema() {
        if (schema != null) {
            schema.close();
        }
    }

    static List<SettingsCase> cases() throws IOException {
        return SettingsCase.parse(new ClassPathResource("settings/cases.txt")
                .getContentAsString(StandardCharsets.UTF_8)
                .lines()
                .toList());
    }

    @Test
    void everyPropertyHasAValueThatDoesNotWork() throws IOException {
        List<String> tried = cases().stream()
                .filter(each -> each.outcome() != SettingsCase.Outcome.WORKS)
                .map(each -> each.properties().keySet().iterator().next())
                .toList();
        assertThat(ConfigurationMetadataTests.propertiesWith("rowlock.").keySet())
                .allSatisfy(name -> assertThat(tried)
                        .anyMatch(each -> each.matches(name.replace(".", "\\.").replace("*", "\\w+") + "([.\\[].*)?")));
    }

    @ParameterizedTest
    @MethodSource("cases")
    void nothingIsRawOrSilent(SettingsCase each, CapturedOutput output) {
        AtomicReference<Throwable> failedCall = new AtomicReference<>();
        Throwable failedStart = catchThrowable(() -> {
            try (ConfigurableApplicationContext context = application(each).start()) {
                failedCall.set(catchThrowable(() -> probe(context)));
            }
        });
        String printed = oneLine(output.getAll());
        assertThat(printed).doesNotContain("s3cret");
        List<String> warnings = output.getAll()
                .lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .filter(line -> !OF_THE_BUILD.matcher(line).find())
                .toList();
        switch (each.outcome()) {
            case REFUSED ->
                assertThat(failedStart == null ? "started" : printed.replaceFirst(".*(?=APPLICATION FAILED)", ""))
                        .startsWith("APPLICATION FAILED TO START")
                        .contains(each.sentence());
            case WARNED -> {
                assertThat(failedStart).isNull();
                assertThat(warnings).anyMatch(line -> line.contains(each.sentence()));
            }
            case FAILS -> {
                assertThat(failedStart).isNull();
                assertThat(failedCall.get()).hasMessageContaining(each.sentence());
            }
            case WORKS -> {
                assertThat(failedStart).isNull();
                assertThat(failedCall.get()).isNull();
                assertThat(warnings).isEmpty();
            }
        }
    }

    private static TestApplication application(SettingsCase each) {
        Map<String, String> properties = each.properties();
        TestApplication application = new TestApplication(schema, Service.class);
        if (each.outcome() == SettingsCase.Outcome.REFUSED) {
            application.withLocksAlone();
        }
        if (properties.containsKey("rowlock.redis.enabled")) {
            application.with("spring.data.redis.host", redis.host()).with("spring.data.redis.port", redis.port());
        } else if (each.written().contains("redis")) {
            application.withRedis(redis);
        }
        properties.forEach(application::withArgument);
        return application;
    }

    /** Takes a lock, and calls what may have one. */
    private static void probe(ConfigurableApplicationContext context) {
        String id = UUID.randomUUID().toString(); // some keep their lock, or lose its release
        LockClient locks = context.getBeanProvider(LockClient.class).getIfAvailable();
        if (locks != null) {
            try (HeldLock lock = locks.acquire(LockRequest.exclusive(id))) {
                assertThat(lock.isHeld()).isTrue();
            }
        }
        assertThat(context.getBean(Service.class).order(id)).isEqualTo("ran");
        assertThat(context.getBean(Service.class).report()).isEqualTo("ran");
    }

    private static String oneLine(String text) {
        return text.replaceAll("\\s+", " ");
    }

    static class Service {
        @DistributedLock(name = "order", key = "#id")
        public String order(String id) {
            return "ran";
        }

        @DistributedSemaphore(name = "report", permits = "5", strategy = "${sem.strategy:}")
        public String report() {
            return "ran";
        }

        @LeaderOnly("boss")
        public void lead() {}
    }
}
