package io.rowlock.integration;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.GeneralCodingRules.NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ImportOption.DoNotIncludeTests;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import org.jspecify.annotations.NullMarked;

/** The module stands on what applications type, and on the API of Spring Integration. */
@AnalyzeClasses(packages = "io.rowlock.integration", importOptions = DoNotIncludeTests.class)
class ArchitectureTests {
    @ArchTest
    static final ArchRule standsOnTwoContracts = classes()
            .should()
            .onlyDependOnClassesThat(resideInAnyPackage(
                    "java..",
                    "org.jspecify.annotations",
                    "org.springframework.integration.support.locks",
                    "org.springframework.integration.util", // CheckedCallable, which methods of a registry take
                    "io.rowlock",
                    "io.rowlock.integration"));

    @ArchTest
    static final ArchRule namesSayWhatAClassIs = noClasses()
            .should()
            .haveNameMatching(".*(Utils?|Helper|Manager|Impl|Base)")
            .because("such a name hides a missing noun");

    @ArchTest
    static final ArchRule noJavaUtilLogging = NO_CLASSES_SHOULD_USE_JAVA_UTIL_LOGGING;

    @ArchTest
    static final ArchRule noStandardStreams = NO_CLASSES_SHOULD_ACCESS_STANDARD_STREAMS;

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses classes) {
        assertThat(classes.getPackage("io.rowlock.integration").isAnnotatedWith(NullMarked.class))
                .isTrue();
    }
}
