package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.ReadLock;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;

class LockReportTests {
    @Test
    void everyAnnotatedMethodHasALine() {
        assertThat(lines(Bank.class))
                .containsExactly(
                        "LockReportTests.Bank.nightly(): exclusive lock on \"nightly\"; order 2147482647; no transaction of its own",
                        "LockReportTests.Bank.read(long, String): shared lock on #id; order 2147482647; no transaction of its own",
                        "LockReportTests.Bank.transfer(long): exclusive lock on \"account:\" + #id; order 2147482647; no transaction of its own");
    }

    @Test
    void relationToTheTransactionIsSaid() {
        assertThat(lines(Bank.class, Outside.class))
                .filteredOn(line -> line.contains("transfer"))
                .singleElement()
                .asString()
                .endsWith("taken before its transaction begins, released after it has ended");
    }

    @Test
    void beanBehindAProxyOfItsInterfaceIsShownAsWhatItIs() {
        assertThat(lines(Teller.class, Outside.class))
                .singleElement()
                .asString()
                .startsWith("LockReportTests.Teller.run(): exclusive lock on \"teller\"");
    }

    /** Roles are read before post-processors are there: a bean that is made then has no proxy, and nothing injected. */
    @Test
    void rolesAreReadWithoutMakingABean() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("late", new RootBeanDefinition(Late.class));
        RootBeanDefinition missing = new RootBeanDefinition();
        missing.setBeanClassName("no.such.Type");
        missing.setLazyInit(true);
        beans.registerBeanDefinition("missing", missing);
        assertThat(new LockReport(beans, text -> text).roles()).isEmpty();
        assertThat(Late.MADE).hasValue(0);
    }

    /** Does not tell the type of its product before it has it. */
    static final class Late implements FactoryBean<Object> {
        static final AtomicInteger MADE = new AtomicInteger();

        Late() {
            MADE.incrementAndGet();
        }

        @Override
        public Object getObject() {
            return "product";
        }

        @Override
        public @Nullable Class<?> getObjectType() {
            return null;
        }
    }

    private static List<String> lines(Class<?>... beans) {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.register(beans);
            context.refresh();
            return new LockReport(context.getBeanFactory(), text -> text).lines();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class Outside {}

    @DistributedLock("teller")
    static class Teller implements Runnable {
        @Override
        @Transactional
        public void run() {}
    }

    static class Bank {
        @DistributedLock(name = "account", key = "#id")
        @Transactional
        public void transfer(long id) {}

        @ReadLock(key = "#id")
        public void read(long id, String why) {}

        @DistributedLock("nightly")
        public void nightly() {}

        public void free() {}
    }
}
