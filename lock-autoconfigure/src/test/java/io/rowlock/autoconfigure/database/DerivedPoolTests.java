package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.alibaba.druid.pool.DruidDataSource;
import com.alibaba.druid.util.DruidPasswordCallback;
import com.mchange.v2.c3p0.ComboPooledDataSource;
import com.mysql.cj.jdbc.MysqlDataSource;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.HeldLock;
import io.rowlock.LockClient;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.autoconfigure.application.Additions;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.autoconfigure.application.OtherNode;
import io.rowlock.autoconfigure.application.TestApplication;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;
import org.aopalliance.intercept.MethodInterceptor;
import org.aopalliance.intercept.MethodInvocation;
import org.apache.commons.dbcp2.BasicDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.AbstractDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** The lock pool leads where the application's own pool leads, whatever that is and whatever is around it. */
@OnServer
@ExtendWith(OutputCaptureExtension.class)
class DerivedPoolTests {
    @RegisterExtension
    private static final FreshSchema schema = new FreshSchema(Additions.TABLE);

    private static OtherNode other;

    @BeforeAll
    static void startOther() {
        other = OtherNode.on(schema);
    }

    @AfterAll
    static void stopOther() {
        if (other != null) {
            other.close();
        }
    }

    @BeforeEach
    void empty() {
        Additions.clear(schema);
    }

    /** Without a user, a driver takes the name of the process's own. */
    @ParameterizedTest
    @ValueSource(
            classes = {Druid.class, Dbcp2.class, TomcatPool.class, C3p0.class, DriverManagers.class, MysqlDriver.class})
    void poolOfAnyKindIsEnoughAndItsUserIsTakenOver(Class<?> pool) {
        excludesAndFences(
                new TestApplication(schema, pool, Additions.class),
                context -> assertThat(context.getBean(LockPools.class).locks().getUsername())
                        .isEqualTo(where().username()));
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                DruidWithWall.class,
                LocksBehindDruidsWall.class,
                HikariAroundDriver.class,
                ProxiedTomcatPool.class,
                InterfaceProxiedTomcatPool.class
            })
    void poolOfAnyKindIsEnough(Class<?> pool) {
        excludesAndFences(new TestApplication(schema, pool, Additions.class));
    }

    /** Spring Boot makes it from {@code spring.datasource}. */
    @ParameterizedTest
    @ValueSource(
            classes = {
                DruidDataSource.class,
                BasicDataSource.class,
                org.apache.tomcat.jdbc.pool.DataSource.class,
                ComboPooledDataSource.class
            })
    @Tag("full")
    void poolThatIsNamedByItsTypeIsEnough(Class<? extends DataSource> type) {
        TestApplication application =
                new TestApplication(schema, Additions.class).with("spring.datasource.type", type.getName());
        try (var context = application.start()) {
            assertThat(context.getBean(type)).isSameAs(context.getBean(DataSource.class));
            assertThat(context.getBean(LockPools.class).locks().getUsername()).isEqualTo(where().username());
        }
        excludesAndFences(application);
    }

    @ParameterizedTest
    @ValueSource(classes = {DatasourceProxy.class, Tracing.class, InterfaceProxy.class})
    void everyDataSourceMayBeWrapped(Class<?> wrapping) {
        excludesAndFences(new TestApplication(schema, wrapping, Additions.class));
        new TestApplication(schema, wrapping)
                .with("rowlock.strategy", "row-lock")
                .start()
                .close();
    }

    @Test
    void unknownDataSourceIsExplainedAndTheRemedyHelps(CapturedOutput output) {
        TestApplication application = new TestApplication(schema, Unknown.class, Additions.class);
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("APPLICATION FAILED TO START")
                .contains("a " + Opaque.class.getName() + " does not tell where it leads")
                .contains("Set rowlock.datasource.url")
                .doesNotContain("a bean named");

        excludesAndFences(application
                .with("rowlock.datasource.url", schema.schema().jdbcUrl())
                .with("rowlock.datasource.username", schema.schema().username())
                .with("rowlock.datasource.password", schema.schema().password()));
    }

    @Test
    void passwordFromACallbackIsExplainedAndTheRemedyHelps(CapturedOutput output) {
        TestApplication application = new TestApplication(schema, DruidWithCallback.class, Additions.class);
        assertThatException().isThrownBy(application::start);
        assertThat(output)
                .contains("a " + DruidDataSource.class.getName() + " does not tell its password")
                .contains("rowlock.datasource.password")
                .doesNotContain(schema.schema().jdbcUrl());

        excludesAndFences(
                application.with("rowlock.datasource.password", schema.schema().password()));
    }

    @Test
    void passwordThatIsRotatedInTheRunningPoolIsTheLockPoolsToo() {
        try (ConfigurableApplicationContext context = new TestApplication(schema).start()) {
            HikariDataSource application = context.getBean("dataSource", HikariDataSource.class);
            HikariDataSource locks = context.getBean(LockPools.class).locks();
            application.setPassword("rotated");
            assertThat(List.of(locks, context.getBean(LockPools.class).waiting()))
                    .extracting(pool ->
                            pool.getCredentialsProvider().getCredentials().getPassword())
                    .containsOnly("rotated");
        }
    }

    @Test
    void urlIsEnoughWithoutAnyDataSource() {
        TestApplication application = TestApplication.withoutDatabase()
                .with(
                        "spring.autoconfigure.exclude",
                        "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                                + "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
                                + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration")
                .with("rowlock.datasource.url", schema.schema().jdbcUrl())
                .with("rowlock.datasource.username", schema.schema().username())
                .with("rowlock.datasource.password", schema.schema().password());
        try (var context = application.start();
                HeldLock lock = context.getBean(LockClient.class).acquire(LockRequest.exclusive("alone"))) {
            assertThat(lock.isHeld()).isTrue();
            assertThat(other.canLock("alone")).isFalse();
        }
    }

    @Test
    void propertiesOfTheConnectionsAreTakenOver() {
        try (var context = new TestApplication(schema, DruidWithProperties.class).start()) {
            assertThat(context.getBean(LockPools.class).locks().getDataSourceProperties())
                    .containsEntry("connectionAttributes", "program:shop")
                    .doesNotContainKeys("user", "password");
        }
    }

    private static void excludesAndFences(TestApplication application) {
        excludesAndFences(application, context -> {});
    }

    private static void excludesAndFences(
            TestApplication application, Consumer<ConfigurableApplicationContext> started) {
        Additions.clear(schema);
        try (var context = application.start()) {
            started.accept(context);
            Additions work = context.getBean(Additions.class);
            work.add(() -> assertThat(other.canLock("add")).isFalse());
            assertThat(Additions.in(schema)).isOne();
            assertThatExceptionOfType(LockLostException.class)
                    .isThrownBy(() -> work.add(() -> other.takeOver("add").close()));
            assertThat(Additions.in(schema)).isOne();
        }
    }

    private static TestSchema where() {
        return schema.schema();
    }

    private static DruidDataSource druid() {
        DruidDataSource pool = new DruidDataSource();
        pool.setUrl(where().jdbcUrl());
        pool.setUsername(where().username());
        pool.setPassword(where().password());
        return pool;
    }

    private static org.apache.tomcat.jdbc.pool.DataSource tomcat() {
        var pool = new org.apache.tomcat.jdbc.pool.DataSource();
        pool.setDriverClassName("com.mysql.cj.jdbc.Driver");
        pool.setUrl(where().jdbcUrl());
        pool.setUsername(where().username());
        pool.setPassword(where().password());
        return pool;
    }

    @Configuration(proxyBeanMethods = false)
    static class Druid {
        @Bean
        DataSource theirs() {
            return druid();
        }
    }

    /** Its firewall refuses statements that it takes for attacks. Those of a commit's check pass through it. */
    @Configuration(proxyBeanMethods = false)
    static class DruidWithWall {
        @Bean
        DataSource theirs() throws SQLException {
            DruidDataSource pool = druid();
            pool.setFilters("stat,wall");
            return pool;
        }
    }

    /** All statements of the first lock pool pass through the firewall. */
    @Configuration(proxyBeanMethods = false)
    static class LocksBehindDruidsWall {
        @Bean(destroyMethod = "close")
        static DruidDataSource wall() throws SQLException {
            DruidDataSource wall = druid();
            wall.setFilters("stat,wall");
            return wall;
        }

        @Bean
        static BeanPostProcessor wrapping(DruidDataSource wall) {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String name) {
                    if (bean instanceof LockPools pools) {
                        pools.locks().setDataSource(wall);
                    }
                    return bean;
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DruidWithCallback {
        @Bean
        DataSource theirs() {
            DruidDataSource pool = druid();
            pool.setPassword(null);
            pool.setPasswordCallback(new DruidPasswordCallback() {
                @Override
                public char[] getPassword() {
                    return where().password().toCharArray();
                }
            });
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DruidWithProperties {
        @Bean
        DataSource theirs() {
            DruidDataSource pool = druid();
            Properties properties = new Properties();
            properties.setProperty("connectionAttributes", "program:shop");
            properties.setProperty("user", where().username());
            properties.setProperty("password", where().password());
            pool.setConnectProperties(properties);
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Dbcp2 {
        @Bean
        DataSource theirs() {
            BasicDataSource pool = new BasicDataSource();
            pool.setUrl(where().jdbcUrl());
            pool.setUsername(where().username());
            pool.setPassword(where().password());
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class TomcatPool {
        @Bean
        DataSource theirs() {
            return tomcat();
        }
    }

    /** Tomcat's pool says of nothing that it wraps it. */
    @Configuration(proxyBeanMethods = false)
    static class ProxiedTomcatPool {
        @Bean
        DataSource theirs() {
            return ProxyDataSourceBuilder.create(tomcat()).build();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InterfaceProxiedTomcatPool {
        @Bean
        DataSource theirs() {
            return interfaceProxy(tomcat());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class C3p0 {
        @Bean(destroyMethod = "close")
        DataSource theirs() {
            ComboPooledDataSource pool = new ComboPooledDataSource();
            pool.setJdbcUrl(where().jdbcUrl());
            pool.setUser(where().username());
            pool.setPassword(where().password());
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DriverManagers {
        @Bean
        DataSource theirs() {
            return new DriverManagerDataSource(where().jdbcUrl(), where().username(), where().password());
        }
    }

    private static MysqlDataSource driver() {
        MysqlDataSource driver = new MysqlDataSource();
        driver.setUrl(where().jdbcUrl());
        driver.setUser(where().username());
        driver.setPassword(where().password());
        return driver;
    }

    @Configuration(proxyBeanMethods = false)
    static class MysqlDriver {
        @Bean
        DataSource theirs() {
            return driver();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class HikariAroundDriver {
        @Bean
        DataSource theirs() {
            HikariDataSource pool = new HikariDataSource();
            pool.setDataSource(driver());
            return pool;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Unknown {
        @Bean
        DataSource theirs() {
            return new Opaque(driver());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DatasourceProxy {
        @Bean
        static BeanPostProcessor wrapping() {
            return new Wrapping(target -> ProxyDataSourceBuilder.create(target).build());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Tracing {
        @Bean
        static BeanPostProcessor wrapping() {
            return new Wrapping(TracingDataSource::new);
        }
    }

    /** As datasource-micrometer has it: a proxy made by Spring. */
    @Configuration(proxyBeanMethods = false)
    static class InterfaceProxy {
        @Bean
        static BeanPostProcessor wrapping() {
            return new Wrapping(DerivedPoolTests::interfaceProxy);
        }
    }

    private static DataSource interfaceProxy(DataSource target) {
        ProxyFactory factory = new ProxyFactory();
        factory.setTarget(target);
        factory.setInterfaces(DataSource.class);
        factory.addAdvice((MethodInterceptor) MethodInvocation::proceed);
        return (DataSource) factory.getProxy();
    }

    private record Wrapping(java.util.function.UnaryOperator<DataSource> wrapper) implements BeanPostProcessor {
        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof DataSource target ? wrapper.apply(target) : bean;
        }
    }

    /** Tells of nothing. */
    static class Opaque extends AbstractDataSource {
        private final DelegatingDataSource target;

        Opaque(DataSource target) {
            this.target = new DelegatingDataSource(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            return target.getConnection();
        }

        @Override
        public Connection getConnection(String username, String password) throws SQLException {
            return target.getConnection(username, password);
        }
    }
}
