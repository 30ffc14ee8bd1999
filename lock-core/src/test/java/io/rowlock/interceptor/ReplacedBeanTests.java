package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.mockito.BDDMockito.given;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.InvalidLockAnnotationException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.context.bean.override.convention.TestBean;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** Beans with annotated methods that a test has put in the place of others. */
@SpringJUnitConfig({ReplacedBeanTests.Application.class, GuardedContext.Locks.class})
class ReplacedBeanTests {
    @MockitoBean
    private Mocked mocked;

    @MockitoBean
    private Contract contract;

    @MockitoBean
    private Undefined undefined;

    @TestBean
    private Replaced replaced;

    @Autowired
    private Caller caller;

    @Autowired
    private RecordingLockClient client;

    @SuppressWarnings("unused") // Spring finds it by its name
    static Replaced replaced() {
        return new Replaced() {
            @Override
            public String run() {
                return "the test's";
            }
        };
    }

    @Test
    void contextStartsAndTheOthersAreLocked() {
        given(mocked.run()).willReturn("mock");
        assertThat(caller.run()).isEqualTo("mock, the test's");
        assertThat(client.log).containsExactly("lock caller", "release");
        assertThat(replaced.run()).isEqualTo("the test's");
        assertThat(contract).isNotNull();
        assertThat(undefined).isNotNull();
    }

    @Test
    void objectThatIsRegisteredBesidesIsRefused() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(RecordingLockClient.class, RecordingLockClient::new);
            context.register(GuardedContext.Locks.class);
            context.getBeanFactory().registerSingleton(AnnotatedBeans.REPLACEMENTS, new Registry(Map.of()));
            context.getBeanFactory().registerSingleton("job", new Mocked());
            assertThatExceptionOfType(InvalidLockAnnotationException.class)
                    .isThrownBy(context::refresh)
                    .withMessageContaining("Mocked.run()");
        }
    }

    @Test
    void beanThatIsMadeTooEarlyIsRefusedBesideAReplacement() {
        try (var context = new AnnotationConfigApplicationContext()) {
            context.registerBean(RecordingLockClient.class, RecordingLockClient::new);
            context.register(GuardedContext.Locks.class, UnproxiedBeanTests.EarlyBean.class);
            context.getBeanFactory()
                    .registerSingleton(AnnotatedBeans.REPLACEMENTS, new Registry(Map.of("its", "other")));
            assertThatExceptionOfType(InvalidLockAnnotationException.class)
                    .isThrownBy(context::refresh)
                    .withMessageContaining("Job.run()");
        }
    }

    /** Shows names as the object of Spring does, which the first test has. */
    private record Registry(Map<String, String> handlerToBeanNameMap) {}

    @Test
    void mockInAParentContextIsNoObstacle() {
        try (var parent = new AnnotationConfigApplicationContext();
                var child = new AnnotationConfigApplicationContext()) {
            parent.registerBean("job", Mocked.class);
            parent.getBeanFactory().registerSingleton(AnnotatedBeans.REPLACEMENTS, new Registry(Map.of("its", "job")));
            parent.getBeanFactory().registerSingleton("job", new Mocked());
            parent.refresh();
            child.setParent(parent);
            child.register(GuardedContext.Locks.class);
            assertThatNoException().isThrownBy(child::refresh);
        }
    }

    static class Mocked {
        @DistributedLock("mocked")
        public String run() {
            return "";
        }
    }

    interface Contract {
        @DistributedLock("contract")
        String run();
    }

    static class Undefined {
        @DistributedLock("undefined")
        public void run() {}
    }

    static class Replaced {
        @DistributedLock("replaced")
        public String run() {
            return "";
        }
    }

    static class Caller {
        private final Mocked mocked;
        private final Replaced replaced;

        Caller(Mocked mocked, Replaced replaced) {
            this.mocked = mocked;
            this.replaced = replaced;
        }

        @DistributedLock("caller")
        public String run() {
            return mocked.run() + ", " + replaced.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Application {
        @Bean
        RecordingLockClient client() {
            return new RecordingLockClient();
        }

        @Bean
        Mocked mocked() {
            return new Mocked();
        }

        @Bean
        Contract contract() {
            return () -> "";
        }

        @Bean
        Replaced replaced() {
            return new Replaced();
        }

        @Bean
        Caller caller(Mocked mocked, Replaced replaced) {
            return new Caller(mocked, replaced);
        }
    }
}
