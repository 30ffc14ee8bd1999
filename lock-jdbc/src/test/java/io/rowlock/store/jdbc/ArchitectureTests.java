package io.rowlock.store.jdbc;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
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
import org.jspecify.annotations.NullMarked;

/** The floors of the stores that speak JDBC. That no class of the core does is held there. */
@AnalyzeClasses(packages = "io.rowlock.store.jdbc", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {

    private static final String ROOT = "io.rowlock";
    private static final String STORE = "io.rowlock.store";
    private static final String JDBC = "io.rowlock.store.jdbc";
    private static final String SESSION = JDBC + ".session";
    private static final String LOG = JDBC + ".log";
    private static final String INSPECTION = "io.rowlock.store.inspection";
    private static final String LEASE = JDBC + ".lease";
    private static final String ROW_LOCK = JDBC + ".rowlock";
    private static final String FENCE = JDBC + ".fence";
    private static final String CLEAN_UP = JDBC + ".cleanup";

    @ArchTest
    static final ArchRule sessionStandsOnStore = floor(SESSION);

    @ArchTest
    static final ArchRule logStandsOnLease = floor(LOG, LEASE, SESSION);

    @ArchTest
    static final ArchRule leaseStandsOnSession = floor(LEASE, SESSION);

    @ArchTest
    static final ArchRule rowLockStandsOnSession = floor(ROW_LOCK, SESSION);

    @ArchTest
    static final ArchRule fenceStandsOnSession = floor(FENCE, SESSION);

    @ArchTest
    static final ArchRule cleanUpStandsOnStrategies = floor(CLEAN_UP, LEASE, ROW_LOCK, FENCE, LOG, SESSION);

    @ArchTest
    static final ArchRule everyClassStandsOnAFloor = noClasses()
            .should()
            .resideOutsideOfPackages(SESSION, LOG, LEASE, ROW_LOCK, FENCE, CLEAN_UP)
            .because("a new package needs its floor here first");

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching(JDBC + ".(*)").should().beFreeOfCycles();

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
    static final ArchRule databaseClockDecides = noClasses().should().accessTargetWhere(readsTheWallClock());

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

    /** Every floor stands on the SPI and the contract as well. */
    private static ArchRule floor(String floor, String... below) {
        String[] allowed = Stream.concat(Stream.of(floor, STORE, INSPECTION, ROOT), Arrays.stream(below))
                .toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(floor)
                .should()
                .dependOnClassesThat(resideInAPackage("io.rowlock..").and(not(resideInAnyPackage(allowed))));
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
