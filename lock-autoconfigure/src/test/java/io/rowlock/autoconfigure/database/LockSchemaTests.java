package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

import io.rowlock.LockClient;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.resource.LoadableResource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

// MySQL only: rights are not checked by the embedded MariaDB
@OnServer(ServerFlavor.MYSQL)
@ExtendWith(OutputCaptureExtension.class)
class LockSchemaTests {
    private static final String FLYWAY = "o.f.c";
    private static final String MIGRATED = "Successfully applied";

    private FreshSchema schema;

    @BeforeEach
    void createSchema(DatabaseServer server) {
        schema = FreshSchema.on(server);
    }

    @AfterEach
    void dropSchema() {
        if (schema != null) {
            schema.close();
        }
    }

    @Test
    void tablesStandBesideTheApplicationsFlyway() throws Exception {
        for (int start = 1; start <= 2; start++) {
            try (var context = new TestApplication(schema).withFlyway().start()) {
                assertThat(context.getBean(LockClient.class)).isNotNull();
                assertThat(context.getBeansOfType(Flyway.class)).hasSize(1);
            }
            assertTables("rowlock_");
            schema.assertHasTable("customer");
            assertThat(applied("flyway_schema_history")).containsExactly("1");
            assertThat(applied("rowlock_schema_history")).startsWith("0").endsWith(versions());
        }
    }

    @Test
    void flywayIsNotStartedOnceTablesAreThere(CapturedOutput output) {
        application().start().close();
        assertThat(output).contains(MIGRATED);
        for (String initialize : List.of("always", "validate")) {
            int before = output.length();
            application().with("rowlock.schema.initialize", initialize).start().close();
            assertThat(output.toString().substring(before)).doesNotContain(FLYWAY);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "validate"})
    void flywayRefusesAFailedMigrationAsEver(String initialize, CapturedOutput output) {
        assertRefused(initialize, "success = 0", "failed migration", output);
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "validate"})
    void flywayRefusesAnotherChecksumAsEver(String initialize, CapturedOutput output) {
        assertRefused(initialize, "checksum = checksum + 1", "checksum mismatch", output);
    }

    private void assertRefused(String initialize, String change, String said, CapturedOutput output) {
        application().start().close();
        schema.jdbc().update("UPDATE rowlock_schema_history SET " + change + " WHERE version = '1'");
        TestApplication application = application().with("rowlock.schema.initialize", initialize);
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("Rowlock's tables (rowlock_*) are not as they should be")
                .contains(said);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "INSERT INTO rowlock_schema_history (installed_rank, version, description, type, script, checksum, installed_by, execution_time, success) SELECT 9, '99', 'later', type, 'V99__later.sql', 1, installed_by, 1, 1 FROM rowlock_schema_history WHERE version = '1'",
                "UPDATE rowlock_schema_history SET checksum = NULL WHERE version = '1'"
            })
    void flywayJudgesALaterMigrationAndAMissingChecksum(String change, CapturedOutput output) {
        application().start().close();
        schema.jdbc().update(change);
        int before = output.length();
        application().start().close();
        assertThat(output.toString().substring(before)).contains(FLYWAY);
    }

    @Test
    void checksumsAreThoseOfFlyway() throws Exception {
        application().start().close();
        assertThat(schema.jdbc()
                        .query(
                                "SELECT version, script, checksum FROM rowlock_schema_history WHERE type = 'SQL' ORDER BY installed_rank",
                                (row, number) -> new LockMigration(row.getString(1), row.getString(2), row.getInt(3))))
                .as("set LockMigration to what Flyway has worked out")
                .isEqualTo(LockMigration.ALL)
                .hasSameSizeAs(versions());
    }

    private TestApplication application() {
        return new TestApplication(schema).with("logging.level.org.flywaydb", "info");
    }

    @Test
    void scriptsAreFoundWithoutASearchOfFolders() throws IOException {
        LockScripts scripts = LockScripts.in(getClass().getClassLoader());
        assertThat(scripts.getResources("V", new String[] {".sql"}))
                .extracting(LoadableResource::getFilename)
                .contains("V1__lock_tables.sql")
                .hasSameSizeAs(versions());
        assertThat(scripts.getResource("db/rowlock/mysql/V1__lock_tables.sql")).isNotNull();
        assertThat(scripts.getResource("V0__none.sql")).isNull();
    }

    @Test
    void tablesStandBesideTheApplicationsLiquibase() {
        for (int start = 1; start <= 2; start++) {
            new TestApplication(schema).withLiquibase().start().close();
            assertTables("rowlock_");
            schema.assertHasTable("supplier");
        }
    }

    @Test
    void tablesNeedNoMigrationsOfTheApplication() throws Exception {
        for (int start = 1; start <= 2; start++) {
            new TestApplication(schema).start().close();
            assertTables("rowlock_");
            assertThat(applied("rowlock_schema_history")).containsExactly(versions());
        }
    }

    @Test
    void prefixIsOnEveryTable() {
        new TestApplication(schema)
                .with("rowlock.schema.table-prefix", "x1_")
                .start()
                .close();
        assertTables("x1_");
        assertThat(schema.hasTable("rowlock_lock")).isFalse();
    }

    @Test
    void mariadbsDriverWorks() {
        new TestApplication(schema)
                .with("spring.datasource.url", schema.schema().jdbcUrl().replace("jdbc:mysql:", "jdbc:mariadb:"))
                .start()
                .close();
        assertTables("rowlock_");
    }

    @Test
    void fourNodesStartAtOnce() throws Exception {
        // Four applications of one JVM would set up one logging system at once
        System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
        ExecutorService nodes = Executors.newFixedThreadPool(4);
        try {
            List<Future<ConfigurableApplicationContext>> starting = new ArrayList<>();
            for (int node = 0; node < 4; node++) {
                starting.add(nodes.submit(
                        () -> new TestApplication(schema).withFlyway().start()));
            }
            for (Future<ConfigurableApplicationContext> start : starting) {
                start.get().close();
            }
        } finally {
            nodes.shutdownNow();
            System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
        }
        assertTables("rowlock_");
        assertThat(applied("rowlock_schema_history")).endsWith(versions()).doesNotHaveDuplicates();
    }

    @Test
    void userWithoutDdlRightsIsToldWhatToDoAtOnce(CapturedOutput output) {
        String user = schema.userWithoutDdlRights();
        long begin = System.nanoTime();
        TestApplication application = new TestApplication(schema).withUser(user).with("rowlock.startup.timeout", "5m");
        assertThatException().isThrownBy(application::start);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofMinutes(1));
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("CREATE command denied")
                .contains("V1__lock_tables.sql")
                .contains("rowlock.schema.initialize to validate or never");
        assertThat(schema.hasTable("rowlock_schema_history")).isFalse();
    }

    @Test
    void userWithoutDdlRightsStartsOnceTablesAreThere() {
        new TestApplication(schema).start().close();
        String user = schema.userWithoutDdlRights();
        for (String mode : List.of("always", "validate", "never")) {
            new TestApplication(schema)
                    .withUser(user)
                    .with("rowlock.schema.initialize", mode)
                    .start()
                    .close();
        }
    }

    @Test
    void validateRefusesAnEmptySchema(CapturedOutput output) {
        TestApplication application = new TestApplication(schema).with("rowlock.schema.initialize", "validate");
        assertThatException().isThrownBy(application::start);
        assertThat(output).contains("Rowlock's tables (rowlock_*) do not exist");
        assertThat(schema.hasTable("rowlock_lock")).isFalse();
    }

    @Test
    void validateTakesTablesMadeByHand() throws Exception {
        TestApplication application = new TestApplication(schema).with("rowlock.schema.initialize", "validate");
        for (Resource migration : migrations()) {
            assertThatException().isThrownBy(application::start);
            runByHand(migration);
        }
        application.start().close();
        assertThat(schema.hasTable("rowlock_schema_history")).isFalse();
    }

    private void runByHand(Resource migration) throws IOException {
        String script = migration.getContentAsString(StandardCharsets.UTF_8).replace("${prefix}", "rowlock_");
        new ResourceDatabasePopulator(new ByteArrayResource(script.getBytes(StandardCharsets.UTF_8)))
                .execute(schema.jdbc().getDataSource());
    }

    @ParameterizedTest
    @ValueSource(strings = {"ALTER", "DROP", "CREATE VIEW"})
    void userWithoutARightThatScriptsNeedIsLeftNoHalfMigration(String missing, CapturedOutput output) {
        String rights = Stream.of(
                        "SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "CREATE VIEW", "INDEX", "ALTER", "DROP")
                .filter(right -> !right.equals(missing))
                .collect(Collectors.joining(", "));
        TestApplication application = new TestApplication(schema).withUser(schema.userWith(rights));
        assertThatException().isThrownBy(application::start);
        assertThat(output).contains(missing + " command denied").contains("Grant the user what is missing");
        assertThat(schema.hasTable("rowlock_schema_history")).isFalse();
        assertThat(schema.hasTable("rowlock_lock")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"always", "validate"})
    void tablesOfASnapshotAreRefusedWithTheStatementsThatDropThem(String initialize, CapturedOutput output) {
        new TestApplication(schema).start().close();
        schema.jdbc().execute("ALTER TABLE rowlock_row DROP COLUMN created_on");
        assertRefusedAsASnapshots(new TestApplication(schema).with("rowlock.schema.initialize", initialize), output);
        assertRefusedAsASnapshots(
                new TestApplication(schema)
                        .with("rowlock.schema.initialize", initialize)
                        .withUser(schema.userWithoutDdlRights()),
                output);
    }

    @Test
    void tablesOfASnapshotWithoutRowLocksAreRefused(CapturedOutput output) {
        new TestApplication(schema).start().close();
        schema.jdbc().execute("DROP TABLE rowlock_row");
        assertRefusedAsASnapshots(new TestApplication(schema), output);
    }

    @Test
    void tablesAreCreatedAnewOnceThoseOfASnapshotAreDropped(CapturedOutput output) {
        new TestApplication(schema).start().close();
        schema.jdbc().execute("ALTER TABLE rowlock_row DROP COLUMN created_on");
        assertRefusedAsASnapshots(new TestApplication(schema), output);
        Pattern.compile("DROP (VIEW|TABLE) IF EXISTS [^;]+(?=;)")
                .matcher(output)
                .results()
                .map(MatchResult::group)
                .forEach(schema.jdbc()::execute);
        assertThat(schema.jdbc().queryForList("SHOW TABLES", String.class))
                .filteredOn(table -> table.startsWith("rowlock_"))
                .isEmpty();
        new TestApplication(schema).start().close();
        assertTables("rowlock_");
    }

    private static void assertRefusedAsASnapshots(TestApplication application, CapturedOutput output) {
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("Rowlock's tables (rowlock_*) are those of a snapshot from before the first release")
                .contains("DROP VIEW IF EXISTS rowlock_locks_held; DROP TABLE IF EXISTS rowlock_lock, ")
                .contains("rowlock_schema_history; then start again with rowlock.schema.initialize=always");
    }

    @Test
    void neverLeavesTheSchemaAlone() {
        new TestApplication(schema)
                .with("rowlock.schema.initialize", "never")
                .start()
                .close();
        assertThat(schema.hasTable("rowlock_lock")).isFalse();
    }

    @Test
    void flywayAddedLaterIsExplained(CapturedOutput output) {
        new TestApplication(schema).start().close();
        TestApplication later = new TestApplication(schema).withFlyway();
        assertThatException().isThrownBy(later::start);
        assertThat(output)
                .contains("Rowlock created its tables there before")
                .contains("spring.flyway.baseline-on-migrate=true")
                .contains("spring.flyway.baseline-version=0");
        later.with("spring.flyway.baseline-on-migrate", "true")
                .with("spring.flyway.baseline-version", "0")
                .start()
                .close();
        schema.assertHasTable("customer");
    }

    private void assertTables(String prefix) {
        schema.assertHasTable(prefix + "lock");
        schema.assertHasTable(prefix + "lock_log");
        schema.assertHasTable(prefix + "unique_key");
        schema.assertHasTable(prefix + "unique_key_stripe");
        schema.assertHasTable(prefix + "locks_held");
        schema.assertHasTable(prefix + "row");
        schema.assertHasTable(prefix + "fence");
        schema.assertHasTable(prefix + "schema_history");
    }

    private static Resource[] migrations() throws IOException {
        Resource[] scripts =
                new PathMatchingResourcePatternResolver().getResources("classpath*:db/rowlock/mysql/V*.sql");
        Arrays.sort(scripts, Comparator.comparing(Resource::getFilename));
        return scripts;
    }

    private static String[] versions() throws IOException {
        return Arrays.stream(migrations())
                .map(script -> script.getFilename().replaceAll("V|__.*", ""))
                .toArray(String[]::new);
    }

    private List<String> applied(String history) {
        return schema.jdbc().queryForList("SELECT version FROM " + history + " ORDER BY installed_rank", String.class);
    }
}
