package shop;

import io.rowlock.LockLostException;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.client.Fences;
import io.rowlock.client.RowlockClient;
import io.rowlock.interceptor.LockInterceptorConfiguration;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.Map;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

/** Prints if its lock is held while a private method runs in its transaction. No class of it was woven before. */
public class LoadTimeApplication {
    static RowlockClient locks;

    public static void main(String[] args) {
        try (var context = new AnnotationConfigApplicationContext(Application.class)) {
            locks = context.getBean(RowlockClient.class);
            Service service = context.getBean(Service.class);
            System.out.println("= before " + !locks.isLocked("a"));
            service.callsItself(() -> print("body"));
            print("after");
            try {
                service.callsItself(() -> locks.admin().release("a", "test", "it is to be lost"));
            } catch (LockLostException refused) {
                System.out.println("= refused " + refused.getClass().getSimpleName());
            }
            service.callsInTransaction();
        }
    }

    static void print(String event) {
        System.out.println("= " + event + " " + locks.isLocked("a"));
    }

    static class Service {
        void callsItself(Runnable body) {
            run(body);
        }

        @Transactional
        void callsInTransaction() {
            inOwnTransaction();
            print("own");
        }

        @DistributedLock("a")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        private void inOwnTransaction() {}

        @DistributedLock("a")
        @Transactional
        private void run(Runnable body) {
            body.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(LockInterceptorConfiguration.class)
    @EnableTransactionManagement(mode = AdviceMode.ASPECTJ)
    static class Application {
        @Bean
        static LockInterceptorSettings woven() {
            return new LockInterceptorSettings(LockInterceptorSettings.DEFAULT.order(), AdviceMode.ASPECTJ, Map.of());
        }

        @Bean
        RowlockClient rowlock() {
            return RowlockClient.builder(new InMemoryLockStore()).build();
        }

        @Bean
        PlatformTransactionManager transactionManager(RowlockClient rowlock) {
            PrintedTransactions transactions = new PrintedTransactions();
            transactions.addListener(Fences.of(rowlock, Map.of()));
            return transactions;
        }

        @Bean
        Service service() {
            return new Service();
        }
    }

    static class PrintedTransactions extends AbstractPlatformTransactionManager {
        @Override
        protected Object doGetTransaction() {
            return "transaction";
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {
            print("begin");
        }

        @Override
        protected void doCommit(DefaultTransactionStatus status) {
            print("commit");
        }

        @Override
        protected void doRollback(DefaultTransactionStatus status) {
            print("rollback");
        }
    }
}
