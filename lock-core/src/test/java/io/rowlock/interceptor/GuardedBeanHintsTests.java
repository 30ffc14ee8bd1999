package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.WriteLock;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.aot.generate.GenerationContext;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.beans.factory.aot.AotServices;
import org.springframework.beans.factory.aot.BeanRegistrationAotContribution;
import org.springframework.beans.factory.aot.BeanRegistrationAotProcessor;
import org.springframework.beans.factory.aot.BeanRegistrationCode;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RegisteredBean;
import org.springframework.beans.factory.support.RootBeanDefinition;

class GuardedBeanHintsTests {
    private final RuntimeHints hints = new RuntimeHints();

    @Test
    void argumentsOfKeysAreRead() throws Exception {
        process(Sales.class);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Order.class.getMethod("customer")))
                .accepts(hints);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class.getMethod("id")))
                .accepts(hints);
    }

    @Test
    void argumentsWithoutKeyAreLeftAlone() throws Exception {
        process(Sales.class);
        assertThat(RuntimeHintsPredicates.reflection().onType(Parcel.class)).rejects(hints);
    }

    @Test
    void fallbacksAreCalled() throws Exception {
        process(Sales.class);
        assertThat(RuntimeHintsPredicates.reflection()
                        .onMethodInvocation(Sales.class.getDeclaredMethod("busy", Order.class)))
                .accepts(hints);
    }

    @Test
    void annotationOfTheClassCountsForItsMethods() throws Exception {
        process(Warehouse.class);
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(Customer.class.getMethod("id")))
                .accepts(hints);
    }

    @Test
    void beansWithoutLocksAddNothing() {
        assertThat(contributionOf(Customer.class)).isNull();
    }

    private void process(Class<?> type) {
        BeanRegistrationAotContribution contribution = contributionOf(type);
        assertThat(contribution).isNotNull();
        GenerationContext generation = mock(GenerationContext.class);
        when(generation.getRuntimeHints()).thenReturn(hints);
        contribution.applyTo(generation, mock(BeanRegistrationCode.class));
    }

    private static @Nullable BeanRegistrationAotContribution contributionOf(Class<?> type) {
        DefaultListableBeanFactory factory = new DefaultListableBeanFactory();
        factory.registerBeanDefinition("bean", new RootBeanDefinition(type));
        return AotServices.factories().load(BeanRegistrationAotProcessor.class).asList().stream()
                .filter(GuardedBeanHints.class::isInstance)
                .findFirst()
                .orElseThrow()
                .processAheadOfTime(RegisteredBean.of(factory, "bean"));
    }

    record Customer(String id) {}

    record Order(Customer customer) {}

    record Parcel(String id) {}

    static class Sales {
        @DistributedLock(name = "order", key = "#order.customer.id", fallback = " busy ")
        public void sell(Order order) {}

        void busy(Order order) {}

        @DistributedLock("parcels")
        public void send(Parcel parcel) {}
    }

    @WriteLock(name = "warehouse", key = "#customer.id")
    static class Warehouse {
        public void visit(Customer customer) {}
    }
}
