package io.rowlock.test;

import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;

/** Tells tests that bring up a Spring Boot application, which creates its own tables. Needs nothing of spring-test. */
final class BootTests {

    private BootTests() {}

    static boolean includes(Class<?> testClass) {
        return MergedAnnotations.search(SearchStrategy.TYPE_HIERARCHY)
                .withEnclosingClasses(ClassUtils::isInnerClass)
                .from(testClass)
                .isPresent("org.springframework.test.context.BootstrapWith");
    }
}
