package io.rowlock.autoconfigure.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.autoconfigure.application.Additions;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.autoconfigure.database.LockPools;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.aop.Advisor;
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.NameMatchMethodPointcut;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.transaction.annotation.EnableTransactionManagement;

/** What properties and beans of the application change. */
@OnServer
@ExtendWith(OutputCaptureExtension.class)
class AnnotationSettingsTests {
    private static FreshSchema schema;
    private static OtherNode other;

    @BeforeAll
    static void start(DatabaseServer server) {
        schema = FreshSchema.on(server);
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stop() {
        if (other != null) {
            other.close();
            schema.close();
        }
    }

    @Test
    void disabledRunsBodiesWithoutLocksAndCountsThem(CapturedOutput output) {
        try (var node = new TestApplication(schema, Work.class)
                        .with("rowlock.enabled", "false")
                        .start();
                HeldLock lock = other.lock("work")) {
            assertThat(node.getBean(Work.class).run(() -> true)).isTrue();
            assertThat(node.getBeansOfType(LockClient.class)).isEmpty();
            assertThat(node.containsBean("rowlockAdvisor")).isFalse();
        }
        assertThat(output)
                .contains(
                        "Rowlock is disabled (rowlock.enabled=false). Methods that run without their lock or leader, on every node: 1");
    }

    @Test
    void methodsThatAreToBeWovenAndAreNotStopTheStart() {
        assertThatThrownBy(() -> new TestApplication(schema, Work.class)
                        .with("rowlock.aop.mode", "aspectj")
                        .start())
                .rootCause()
                .hasMessageContaining("Work.run")
                .hasMessageContaining("is not woven, so it would run without its lock");
    }

    @Test
    void orderDecidesWhoIsInside() {
        assertThat(lockableAroundTheOtherAdvisor(new TestApplication(schema, Work.class, Around.class)))
                .isTrue();
        assertThat(lockableAroundTheOtherAdvisor(
                        new TestApplication(schema, Work.class, Around.class).with("rowlock.aop.order", "-1")))
                .isFalse();
    }

    @Test
    void orderThatPutsTheLockInsideTheTransactionStopsTheStart(CapturedOutput output) {
        TestApplication application =
                new TestApplication(schema, Additions.class, Transactions.class).with("rowlock.aop.order", "101");
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START", "Additions.add")
                .contains("begins the transaction before the lock is acquired")
                .contains("Set rowlock.aop.order to less than the order of @EnableTransactionManagement");
    }

    private static boolean lockableAroundTheOtherAdvisor(TestApplication application) {
        try (var node = application.start()) {
            Around.lockable = false;
            assertThat(node.getBean(Work.class).run(() -> other.canLock("work")))
                    .isFalse();
            return Around.lockable;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(order = 100, proxyTargetClass = true)
    static class Transactions {}

    @Test
    void connectionDetailsFeedTheLockPool() {
        try (var node = new TestApplication(schema, Work.class, Details.class)
                .with("details.url", schema.schema().jdbcUrl())
                .with("details.username", schema.schema().username())
                .with("details.password", schema.schema().password())
                .with("spring.datasource.url", "jdbc:mysql://127.0.0.1:1/elsewhere")
                .start()) {
            assertThat(node.getBean(LockPools.class).locks().getJdbcUrl())
                    .isEqualTo(schema.schema().jdbcUrl());
            assertThat(node.getBean(Work.class).run(() -> other.canLock("work")))
                    .isFalse();
        }
    }

    @Test
    void connectionDetailsFeedTheLockPoolOfAnApplicationWithoutHikari() {
        try (var node = new TestApplication(schema, Work.class, Details.class)
                .with("details.url", schema.schema().jdbcUrl())
                .with("details.username", schema.schema().username())
                .with("details.password", schema.schema().password())
                .with("spring.datasource.url", "jdbc:mysql://127.0.0.1:1/elsewhere")
                .with("spring.datasource.type", "org.springframework.jdbc.datasource.SimpleDriverDataSource")
                .start()) {
            assertThat(node.getBean(DataSource.class)).isNotInstanceOf(HikariDataSource.class);
            assertThat(node.getBean(Work.class).run(() -> other.canLock("work")))
                    .isFalse();
        }
    }

    static class Work {
        @DistributedLock("work")
        public boolean run(BooleanSupplier during) {
            return during.getAsBoolean();
        }
    }

    /** An advisor of the application, at order 0. */
    @Configuration(proxyBeanMethods = false)
    static class Around {
        private static volatile boolean lockable;

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static Advisor aroundAdvisor() {
            MethodInterceptor around = invocation -> {
                lockable = other.canLock("work");
                return invocation.proceed();
            };
            NameMatchMethodPointcut run = new NameMatchMethodPointcut();
            run.setMappedName("run");
            run.setClassFilter(type -> Work.class.isAssignableFrom(type));
            DefaultPointcutAdvisor advisor = new DefaultPointcutAdvisor(run, around);
            advisor.setOrder(0);
            return advisor;
        }
    }

    /** As a service connection brings them. */
    @Configuration(proxyBeanMethods = false)
    static class Details {
        @Bean
        JdbcConnectionDetails details(Environment environment) {
            return new JdbcConnectionDetails() {
                @Override
                public String getJdbcUrl() {
                    return environment.getRequiredProperty("details.url");
                }

                @Override
                public String getUsername() {
                    return environment.getRequiredProperty("details.username");
                }

                @Override
                public String getPassword() {
                    return environment.getRequiredProperty("details.password");
                }
            };
        }
    }
}
