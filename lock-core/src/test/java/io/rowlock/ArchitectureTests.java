package io.rowlock;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.SimpleConditionEvent.violated;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_FIELD_INJECTION;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.AbstractClassesTransformer;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.time.Clock;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Date;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.NullMarked;

/** The floors of the house, and what may lie about on each. */
@AnalyzeClasses(packages = "io.rowlock", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

    private static final String ROOT = "io.rowlock";
    private static final String ANNOTATION = "io.rowlock.annotation";
    private static final String INTERCEPTOR = "io.rowlock.interceptor";
    private static final String LEADER = "io.rowlock.leader";
    private static final String CLIENT = "io.rowlock.client";
    private static final String CLIENT_ADMIN = "io.rowlock.client.admin";
    private static final String CLIENT_TRANSACTION = "io.rowlock.client.transaction";
    private static final String CLIENT_LOCK = "io.rowlock.client.lock";
    private static final String CLIENT_OBSERVE = "io.rowlock.client.observe";
    private static final String CLIENT_REQUEST = "io.rowlock.client.request";
    private static final String ANY_CLIENT = "io.rowlock.client..";
    private static final String STORE = "io.rowlock.store";
    private static final String INSPECTION = "io.rowlock.store.inspection";
    private static final String MEMORY = "io.rowlock.store.memory";

    @ArchTest
    static final ArchRule rootStandsOnNothing = floor(ROOT);

    @ArchTest
    static final ArchRule inspectionStandsOnRoot = floor(INSPECTION, ROOT);

    @ArchTest
    static final ArchRule storeStandsOnInspection = floor(STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule memoryStandsOnStore = floor(MEMORY, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule requestStandsOnStore = floor(CLIENT_REQUEST, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule observeStandsOnRequest = floor(CLIENT_OBSERVE, CLIENT_REQUEST, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule lockStandsOnObserve =
            floor(CLIENT_LOCK, CLIENT_OBSERVE, CLIENT_REQUEST, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule adminStandsOnLock =
            floor(CLIENT_ADMIN, CLIENT_LOCK, CLIENT_OBSERVE, CLIENT_REQUEST, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule transactionStandsOnLock =
            floor(CLIENT_TRANSACTION, CLIENT_LOCK, CLIENT_OBSERVE, CLIENT_REQUEST, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule clientStandsOnAdminAndLock = floor(
            CLIENT,
            CLIENT_ADMIN,
            CLIENT_TRANSACTION,
            CLIENT_LOCK,
            CLIENT_OBSERVE,
            CLIENT_REQUEST,
            STORE,
            INSPECTION,
            ROOT);

    @ArchTest
    static final ArchRule leaderStandsOnClient = floor(LEADER, ANY_CLIENT, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule annotationStandsOnRoot = floor(ANNOTATION, ROOT);

    @ArchTest
    static final ArchRule interceptorStandsOnAnnotationAndLeader =
            floor(INTERCEPTOR, ANNOTATION, LEADER, ANY_CLIENT, STORE, INSPECTION, ROOT);

    @ArchTest
    static final ArchRule everyClassStandsOnAFloor = noClasses()
            .should()
            .resideOutsideOfPackages(
                    ROOT,
                    ANNOTATION,
                    INTERCEPTOR,
                    LEADER,
                    CLIENT,
                    CLIENT_ADMIN,
                    CLIENT_TRANSACTION,
                    CLIENT_LOCK,
                    CLIENT_OBSERVE,
                    CLIENT_REQUEST,
                    STORE,
                    INSPECTION,
                    MEMORY)
            .because("a new package needs its floor here first");

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching("io.rowlock.(**)").should().beFreeOfCycles().allowEmptyShould(true);

    @ArchTest
    static void packagesStaySmall(JavaClasses classes) {
        assertThat(classes.stream()
                        .collect(groupingBy(JavaClass::getPackageName, mapping(ArchitectureTests::file, toSet()))))
                .isNotEmpty()
                .allSatisfy((name, files) -> assertThat(files).as(name).hasSizeLessThanOrEqualTo(25));
    }

    private static String file(JavaClass type) {
        return type.getSource().flatMap(Source::getFileName).orElseThrow();
    }

    @ArchTest
    static final ArchRule storeKnowsNoSpring = noClasses()
            .that()
            .resideInAnyPackage(STORE, INSPECTION, MEMORY)
            .should()
            .dependOnClassesThat()
            .resideInAPackage("org.springframework..")
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule speaksNoJdbc = noClasses()
            .should()
            .dependOnClassesThat(resideInAnyPackage("java.sql..", "javax.sql..", "org.springframework.jdbc..")
                    .and(not(type(DataSource.class))))
            .because("a store need not be on a database; a DataSource is what a transaction manager is asked for");

    @ArchTest
    static final ArchRule databaseClockDecides = noClasses()
            .that(resideInAnyPackage(ANY_CLIENT, STORE))
            .should()
            .accessTargetWhere(readsTheWallClock())
            .allowEmptyShould(true);

    @ArchTest
    static final ArchRule namesSayWhatAClassIs = noClasses()
            .should()
            .haveNameMatching(".*(Utils?|Helper|Manager|Impl|Base)")
            .because("such a name hides a missing noun");

    @ArchTest
    static final ArchRule everyPackageIsNullMarked =
            ArchRuleDefinition.all(packages()).should(beNullMarked());

    @ArchTest
    static final ArchRule noJavaUtilLogging = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule noFieldInjection = NO_CLASSES_SHOULD_USE_FIELD_INJECTION;

    @ArchTest
    static final ArchRule noStandardStreams = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

    private static ArchRule floor(String floor, String... below) {
        String[] allowed = Stream.concat(Stream.of(floor), Arrays.stream(below)).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(floor)
                .should()
                .dependOnClassesThat(resideInAPackage("io.rowlock..").and(not(resideInAnyPackage(allowed))))
                .allowEmptyShould(true);
    }

    /** A call or a method reference: a seam is often filled with {@code Instant::now}. */
    private static DescribedPredicate<JavaAccess<?>> readsTheWallClock() {
        return describe("it reads the wall clock of the JVM", access -> {
            JavaClass owner = access.getTarget().getOwner();
            return switch (access.getTarget().getName()) {
                case "currentTimeMillis" -> owner.isEquivalentTo(System.class);
                case "now" -> owner.getPackageName().startsWith("java.time");
                case "<init>" -> owner.isEquivalentTo(Date.class);
                case "getInstance" -> owner.isAssignableTo(Calendar.class);
                default ->
                    owner.isEquivalentTo(Clock.class)
                            && access.getTarget().getName().startsWith("system");
            };
        });
    }

    private static AbstractClassesTransformer<JavaPackage> packages() {
        return new AbstractClassesTransformer<>("packages") {
            @Override
            public Set<JavaPackage> doTransform(JavaClasses classes) {
                return classes.stream().map(JavaClass::getPackage).collect(Collectors.toSet());
            }
        };
    }

    private static ArchCondition<JavaPackage> beNullMarked() {
        return new ArchCondition<>("have a package-info.java with @NullMarked") {
            @Override
            public void check(JavaPackage item, ConditionEvents events) {
                if (!item.isAnnotatedWith(NullMarked.class)) {
                    events.add(violated(item, "Package " + item.getName() + " has none"));
                }
            }
        };
    }
}
