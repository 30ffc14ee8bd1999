package io.rowlock.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Set;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Runs a test class on one kind of server in every build and on the other one with {@code -Pfull}, with Rowlock's tables in a schema of
 * its own; the tests of a server that cannot be had are skipped. Takes the same parameters as {@link OnServer}. A
 * {@code BeforeAll} comes before all runs and knows no server; {@link BeforeServer} and {@link AfterServer} belong to a run.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ClassTemplate
@Tag(FullBuild.TOO)
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = OnEachServer.OneAtATime.class)
@ExtendWith(EachServerExtension.class)
public @interface OnEachServer {
    /** Tells that the servers may differ in what is tested: every build runs the class on both, one after the other. */
    boolean dependsOnServer() default false;

    /** Runs the class with {@code -Pfull} on both servers, whatever every build has run it on: there it does more. */
    boolean inBothBuilds() default false;

    /** Adds a run on MariaDB 11.8 with {@code -Pfull}, for what that version does differently. */
    boolean mariaDb118() default false;

    /**
     * A lock of the class's own. Classes run side by side, and what has such a lock runs its methods one after the other, as they
     * share a schema; without it, {@link Execution} would hold for the methods, too.
     */
    final class OneAtATime implements ResourceLocksProvider {
        @Override
        public Set<Lock> provideForClass(Class<?> testClass) {
            return Set.of(new Lock(testClass.getName()));
        }
    }
}
