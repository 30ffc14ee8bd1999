package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.leader.LeaderOnly;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.SpringFactoriesLoader;

class LockRuntimeHintsTests {
    private final RuntimeHints hints = new RuntimeHints();

    LockRuntimeHintsTests() {
        SpringFactoriesLoader.forResourceLocation("META-INF/spring/aot.factories")
                .load(RuntimeHintsRegistrar.class)
                .stream()
                .filter(GuardedBeanHints.LockRuntimeHints.class::isInstance)
                .forEach(registrar -> registrar.registerHints(hints, getClass().getClassLoader()));
    }

    @Test
    void annotationsAreRead() throws Exception {
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(DistributedLock.class.getMethod("key")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(ReadLock.class.getMethod("name")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(WriteLock.class.getMethod("name")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(LeaderOnly.class.getMethod("value")))
                .accepts(hints);
    }

    @Test
    void keysReadTheirRoot() throws Exception {
        for (String getter : new String[] {"method", "methodName", "args", "target", "targetClass"}) {
            assertThat(RuntimeHintsPredicates.reflection()
                            .onMethodInvocation(KeyExpression.Root.class.getMethod(getter)))
                    .accepts(hints);
        }
    }

    @Test
    void scriptsAreThere() {
        assertThat(RuntimeHintsPredicates.resource().forResource("db/rowlock/mysql/V1__lock_tables.sql"))
                .accepts(hints);
    }
}
