package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.LockMode;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.LockOperation;
import io.rowlock.annotation.OnBusy;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.expression.EvaluationException;

class KeyEvaluationTests {
    private final GuardedContext context = new GuardedContext(Keys.class, Tenant.class);
    private final RecordingLockClient client = context.client;
    private final Keys keys = context.bean(Keys.class);

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void argumentsAreKnownByNameAndByPosition() {
        keys.two("a", 7);
        assertThat(lockedKeys()).containsExactly("a-7-a-7");
    }

    @Test
    void rootAndBeansAreKnown() {
        keys.root("x");
        assertThat(lockedKeys()).containsExactly("root:root/x/Keys/me/acme");
    }

    @Test
    void severalValuesAreSeveralKeys() {
        keys.any(List.of("b", "a", "b"));
        keys.any(new String[] {"d", "c"});
        keys.any(new int[] {2, 1});
        keys.any(Stream.of("s"));
        assertThat(client.requests)
                .extracting(request -> String.join(",", request.keys()))
                .containsExactly("n:a,n:b", "n:c,n:d", "n:1,n:2", "n:s");
    }

    @Test
    void pathIsOneValueAndOptionalIsItsContent() {
        keys.any(Path.of("a", "b"));
        keys.any(Optional.of("o"));
        assertThat(client.requests)
                .extracting(request -> request.keys().get(0))
                .containsExactly("n:" + Path.of("a", "b"), "n:o");
    }

    @Test
    void nullNamesTheExpressionAndTheParameters() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(null))
                .withMessageContaining("\"#value\"")
                .withMessageContaining("Keys.any")
                .withMessageContaining("it is null")
                .withMessageContaining("known parameters: #value (or #p0)");
        assertThatIllegalArgumentException().isThrownBy(() -> keys.any(Optional.empty()));
        assertThat(client.requests).isEmpty();
    }

    @Test
    void emptyValuesAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> keys.any("")).withMessageContaining("it is empty");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(List.of()))
                .withMessageContaining("without elements");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(Arrays.asList("a", null)))
                .withMessageContaining("an element of it is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(List.of("a", "")))
                .withMessageContaining("an element of it is empty");
        assertThat(client.requests).isEmpty();
    }

    @Test
    void valueWithoutTextOfItsOwnIsRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(new Object()))
                .withMessageContaining("java.lang.Object")
                .withMessageContaining("toString()");
    }

    @Test
    void tooLongKeyNamesTheLimitAndItsLength() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any("é".repeat(127)))
                .withMessageContaining("255")
                .withMessageContaining("256");
    }

    @Test
    void expressionThatFailsNamesItselfAndTheParameters() {
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> keys.property("a"))
                .withMessageContaining("\"#text.nothing\"")
                .withMessageContaining("#text")
                .withCauseInstanceOf(EvaluationException.class);
    }

    @Test
    void keyIsEvaluatedOnceThoughTheBodyChangesWhatItCameFrom() {
        AtomicInteger counter = new AtomicInteger();
        keys.counting(counter);
        assertThat(counter).hasValue(101);
        assertThat(lockedKeys()).containsExactly("1");
        assertThat(client.log).containsExactly("lock 1", "release");
    }

    @Test
    void unknownParameterNamesAreSaidToBe() throws Exception {
        // the JDK is compiled without -parameters
        Method nameless = String.class.getMethod("concat", String.class);
        LockOperation operation = new LockOperation(
                nameless,
                LockMode.EXCLUSIVE,
                null,
                "#str",
                null,
                null,
                OnBusy.THROW,
                null,
                Duration.ZERO,
                null,
                false,
                OnLost.NOTIFY,
                0,
                false);
        KeyRoot call = new KeyRoot(nameless, new Object[] {"a"}, "target", String.class);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new KeyEvaluator(new DefaultListableBeanFactory()).values(operation, call))
                .withMessageContaining("-parameters")
                .withMessageContaining("#p0");
    }

    private List<String> lockedKeys() {
        return client.requests.get(0).keys();
    }

    public static class Tenant {
        public String id() {
            return "acme";
        }
    }

    public static class Keys {
        public String self() {
            return "me";
        }

        @DistributedLock(key = "#first + '-' + #second + '-' + #p0 + '-' + #a1")
        public void two(String first, int second) {}

        @DistributedLock(
                name = "root",
                key = "#root.method.name + '/' + #root.args[0] + '/' + #root.targetClass.simpleName + '/' + "
                        + "#root.target.self() + '/' + @'keyEvaluationTests.Tenant'.id()")
        public void root(String x) {}

        @DistributedLock(name = "n", key = "#value")
        public void any(@Nullable Object value) {}

        @DistributedLock(key = "#text.nothing")
        public void property(Object text) {}

        @DistributedLock(key = "#counter.incrementAndGet()")
        public void counting(AtomicInteger counter) {
            counter.addAndGet(100);
        }
    }
}
