package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.rowlock.annotation.DistributedLock;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.CharBuffer;
import java.nio.file.Path;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.Arrays;
import java.util.Calendar;
import java.util.Currency;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.context.expression.BeanFactoryResolver;
import org.springframework.expression.EvaluationException;
import org.springframework.expression.spel.standard.SpelExpressionParser;

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

    /** As nodes of JSON, whose elements are not what their text says. */
    @Test
    void whatCanBeIteratedAndIsNoCollectionIsRefused() {
        Iterable<String> iterable = () -> List.of("a", "b").iterator();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(iterable))
                .withMessageContaining("give the key as text");
        assertThat(client.requests).isEmpty();
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
    void typesWithOneTextAreAccepted() {
        Object[][] values = {
            {CharBuffer.wrap("b"), "b"},
            {'c', "c"},
            {true, "true"},
            {(byte) 1, "1"},
            {(short) 2, "2"},
            {3, "3"},
            {4L, "4"},
            {new BigInteger("12345678901234567890"), "12345678901234567890"},
            {new BigDecimal("1.50"), "1.5"},
            {new BigDecimal("1E+2"), "100"},
            {new BigDecimal("0.00"), "0"},
            {Colour.RED, "RED"},
            {DayOfWeek.MONDAY, "MONDAY"},
            {new UUID(1, 2), "00000000-0000-0001-0000-000000000002"},
            {LocalDate.of(2026, 1, 31), "2026-01-31"},
            {Instant.EPOCH, "1970-01-01T00:00:00Z"},
            {Duration.ofMinutes(1), "PT1M"},
            {ZoneId.of("Europe/Berlin"), "Europe/Berlin"},
            {URI.create("urn:x"), "urn:x"},
            {Locale.GERMANY, "de_DE"},
            {Currency.getInstance("EUR"), "EUR"},
            {new Money(new BigDecimal("1.50"), Colour.RED), "Money[amount=1.5, colour=RED]"},
            {
                new Parts(List.of(new BigDecimal("2.0"), "x"), Optional.of(Colour.RED), null),
                "Parts[list=[2, x], colour=RED, nothing=null]"
            }
        };
        for (Object[] each : values) {
            client.requests.clear();
            keys.any(each[0]);
            assertThat(lockedKeys()).containsExactly("n:" + each[1]);
        }
        client.requests.clear();
        keys.any(List.of(List.of(1, 2), new Money(BigDecimal.TEN, Colour.RED)));
        assertThat(lockedKeys()).containsExactly("n:Money[amount=10, colour=RED]", "n:[1, 2]");
    }

    @Test
    @SuppressWarnings("JavaUtilDate") // one of the types that are refused
    void typesWhoseTextIsNotTheSameEverywhereAreRefused() {
        for (Object value : List.of(
                new Object(),
                1.5f,
                1.5,
                new Date(0),
                new java.sql.Timestamp(0),
                Calendar.getInstance(),
                new byte[] {1},
                new char[] {'a'},
                new double[] {1.5},
                Map.of("a", "b"),
                List.of(Set.of("a")),
                List.of(List.of(1.5)),
                List.of(Optional.of(new Object())),
                new Holder(new int[] {1}),
                new Holder(Set.of("a")),
                new Holder(new Date(0)),
                new Holder(new Holder(new Object())),
                new Plain(),
                new Named(),
                new Proxy(),
                String.class)) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> keys.any(value))
                    .withMessageContaining("give the key as text")
                    .withMessageContaining("known parameters: #value");
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(new BigDecimal("1E+300")))
                .withMessageContaining("more than 255 digits");
        assertThat(client.requests).isEmpty();
    }

    @Test
    void blankKeyBesideANameIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> keys.any(" \t")).withMessageContaining("it is blank");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.any(List.of("a", " ")))
                .withMessageContaining("an element of it is blank");
        assertThat(client.requests).isEmpty();
    }

    @Test
    void classOfTheApplicationWithATextOfItsOwnIsAcceptedWithOneWarning() {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        Logger logger = (Logger) LoggerFactory.getLogger(KeyText.class);
        log.start();
        logger.addAppender(log);
        try {
            keys.any(new OrderId(1));
            keys.any(List.of(new OrderId(2), new Shown(3)));
        } finally {
            logger.detachAppender(log);
        }
        assertThat(client.requests)
                .extracting(request -> String.join(",", request.keys()))
                .containsExactly("n:order 1", "n:order 2,n:shown 3");
        for (Class<?> type : List.of(OrderId.class, Shown.class)) {
            assertThat(log.list)
                    .filteredOn(event -> event.getFormattedMessage().contains(type.getName() + ":"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.getLevel()).isEqualTo(Level.WARN);
                        assertThat(event.getFormattedMessage()).contains("give the key as text");
                    });
        }
    }

    enum Colour {
        RED;

        @Override
        public String toString() {
            return "a colour of mine";
        }
    }

    record Money(BigDecimal amount, Colour colour) {}

    record Parts(
            List<?> list, Optional<Colour> colour, @Nullable String nothing) {}

    record Holder(Object held) {}

    static class Plain {}

    static class Named extends Plain {
        @Override
        public String toString() {
            return super.toString() + "[1]";
        }
    }

    /** As Hibernate's of an entity that is loaded lazily. */
    static class Proxy {
        private final Plain entity = new Plain();

        @Override
        public int hashCode() {
            return entity.hashCode();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public String toString() {
            return entity.toString();
        }
    }

    static class OrderId {
        private final int number;

        OrderId(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return "order " + number;
        }
    }

    /** It does not show its parts, so its text is one of its own. */
    record Shown(int number) {
        @Override
        public String toString() {
            return "shown " + number;
        }
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
    void expressionThatFailsForgesNoLineByItsValue() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> keys.number("7\nWARN forged"))
                .withMessageContaining("7\\nWARN forged")
                .withMessageNotContaining("\n");
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
        KeyExpression key = new KeyExpression(
                new SpelExpressionParser().parseRaw("#str"),
                "",
                nameless,
                nameless,
                String.class,
                new BeanFactoryResolver(new DefaultListableBeanFactory()),
                new KeyText(),
                KeyExpression.positions(nameless, nameless));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> key.of(new Object[] {"a"}, "target"))
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

        @DistributedLock(key = "T(Integer).parseInt(#text)")
        public void number(String text) {}

        @DistributedLock(key = "#counter.incrementAndGet()")
        public void counting(AtomicInteger counter) {
            counter.addAndGet(100);
        }
    }
}
