package io.rowlock.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Set;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.ResourceLocksProvider;

/**
 * Runs a test class once on each kind of server, one run after the other, each with Rowlock's tables in a schema of its own; the
 * tests of a server that cannot be had are skipped. Takes the same parameters as {@link OnServer}. A {@code BeforeAll} comes before
 * both runs and knows no server: a class that needs one once for each server has a subclass for each with {@link OnServer}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ClassTemplate
@Execution(ExecutionMode.CONCURRENT)
@ResourceLock(providers = OnEachServer.OneAtATime.class)
@ExtendWith(EachServerExtension.class)
public @interface OnEachServer {
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
