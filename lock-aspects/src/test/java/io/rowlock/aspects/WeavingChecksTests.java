package io.rowlock.aspects;

import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.Map;
import org.assertj.core.api.ThrowableAssertAlternative;
import org.junit.jupiter.api.Test;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.MatchAlwaysTransactionAttributeSource;
import org.springframework.transaction.interceptor.TransactionInterceptor;

/** Reasons that stop the start of an application whose methods are to be woven. */
class WeavingChecksTests {
    /** The weaver sees the annotations of the method alone. */
    interface Payments {
        @DistributedLock("pay")
        void pay();

        @DistributedLock("refund")
        void refund();
    }

    static class Unwoven implements Payments {
        @Override
        public void pay() {}

        @Override
        public void refund() {}
    }

    @Lazy
    static class NeverMade extends Unwoven {}

    @Test
    void methodThatIsNotWovenIsNamed() {
        refused(Unwoven.class).withMessageContainingAll("not woven", "run without its lock", "Unwoven.");
    }

    @Test
    void methodOfABeanThatIsNotMadeIsNamed() {
        refused(NeverMade.class).withMessageContainingAll("not woven", "NeverMade.");
    }

    static class Service {
        @DistributedLock("a")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class TransactionsByHand {
        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor transactions() {
            return new DefaultPointcutAdvisor(new TransactionInterceptor(
                    (TransactionManager) new LoggedTransactions(), new MatchAlwaysTransactionAttributeSource()));
        }
    }

    @Test
    void transactionOfAProxyThatWouldBeginBeforeTheLockIsRefused() {
        refused(Service.class, TransactionsByHand.class)
                .withMessageContaining("begins the transaction before the lock is acquired");
    }

    static class InTransaction {
        @DistributedLock(name = "a", strategy = "transaction")
        @Transactional
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
    static class WovenTransactions {}

    @Test
    void lockThatIsPartOfAWovenTransactionIsRefused() {
        refused(InTransaction.class, WovenTransactions.class)
                .withMessageContaining("part of its transaction, but that is woven");
    }

    private static ThrowableAssertAlternative<InvalidLockAnnotationException> refused(Class<?>... components) {
        return assertThatExceptionOfType(InvalidLockAnnotationException.class).isThrownBy(() -> {
            try (var context = new AnnotationConfigApplicationContext()) {
                context.register(Application.class);
                context.register(components);
                context.refresh();
            } catch (BeanCreationException failure) {
                throw NestedExceptionUtils.getMostSpecificCause(failure);
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    static class Application {
        @Bean
        static LockInterceptorSettings woven() {
            return new LockInterceptorSettings(LockInterceptorSettings.DEFAULT.order(), AdviceMode.ASPECTJ, Map.of());
        }

        @Bean
        RowlockClient locks() {
            return RowlockClient.builder(new InMemoryLockStore()).build();
        }
    }
}
