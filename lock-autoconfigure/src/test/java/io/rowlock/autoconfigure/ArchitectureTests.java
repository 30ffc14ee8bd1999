package io.rowlock.autoconfigure;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.Source;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Arrays;
import java.util.stream.Stream;

/** The floors of this module: features stand on the client and its properties, and most of them on the database; else apart. */
@AnalyzeClasses(packages = ArchitectureTests.MODULE, importOptions = DoNotIncludeTests.class)
class ArchitectureTests {
    static final String MODULE = "io.rowlock.autoconfigure";

    private static final String DIAGNOSTICS = MODULE + ".diagnostics";
    private static final String DATABASE = MODULE + ".database";
    private static final String STORE = MODULE + ".store";
    private static final String TRANSACTION = MODULE + ".transaction";
    private static final String ACTUATE = MODULE + ".actuate";
    private static final String MICROMETER = MODULE + ".micrometer";
    private static final String LEADER = MODULE + ".leader";
    private static final String REDIS = MODULE + ".redis";

    @ArchTest
    static final ArchRule diagnosticsStandOnNothing = floor(DIAGNOSTICS);

    @ArchTest
    static final ArchRule clientAndPropertiesStandOnDiagnostics = floor(MODULE, DIAGNOSTICS);

    @ArchTest
    static final ArchRule leaderStandsOnTheClient = floor(LEADER, MODULE, DIAGNOSTICS);

    @ArchTest
    static final ArchRule redisStandsOnTheClient = floor(REDIS, MODULE, DIAGNOSTICS);

    @ArchTest
    static final ArchRule databaseStandsOnTheClient = floor(DATABASE, MODULE, DIAGNOSTICS);

    @ArchTest
    static final ArchRule storeStandsOnDatabase = floor(STORE, DATABASE, MODULE, DIAGNOSTICS);

    @ArchTest
    static final ArchRule transactionStandsOnDatabase = floor(TRANSACTION, DATABASE, DIAGNOSTICS, MODULE);

    @ArchTest
    static final ArchRule actuateStandsOnDatabase = floor(ACTUATE, DATABASE, MODULE);

    @ArchTest
    static final ArchRule micrometerStandsOnDatabase = floor(MICROMETER, DATABASE, MODULE);

    @ArchTest
    static final ArchRule everyClassStandsOnAFloor = noClasses()
            .should()
            .resideOutsideOfPackages(
                    MODULE, DIAGNOSTICS, DATABASE, STORE, TRANSACTION, ACTUATE, MICROMETER, LEADER, REDIS)
            .because("a new package needs its floor here first");

    @ArchTest
    static final ArchRule packagesAreFreeOfCycles =
            slices().matching("io.rowlock.(**)").should().beFreeOfCycles();

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

    private static ArchRule floor(String floor, String... below) {
        String[] allowed = Stream.concat(Stream.of(floor), Arrays.stream(below)).toArray(String[]::new);
        return noClasses()
                .that()
                .resideInAPackage(floor)
                .should()
                .dependOnClassesThat(resideInAPackage(MODULE + "..").and(not(resideInAnyPackage(allowed))));
    }
}
