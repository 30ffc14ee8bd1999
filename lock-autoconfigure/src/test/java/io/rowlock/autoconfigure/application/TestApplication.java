package io.rowlock.autoconfigure.application;

import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.autoconfigure.RowlockInterceptorAutoConfiguration;
import io.rowlock.autoconfigure.actuate.RowlockActuatorAutoConfiguration;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.leader.RowlockLeaderAutoConfiguration;
import io.rowlock.autoconfigure.micrometer.RowlockMicrometerAutoConfiguration;
import io.rowlock.autoconfigure.redis.RowlockRedisAutoConfiguration;
import io.rowlock.autoconfigure.store.RowlockStartUpAutoConfiguration;
import io.rowlock.autoconfigure.transaction.RowlockTransactionAutoConfiguration;
import io.rowlock.test.redis.RedisServer;
import java.net.URL;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Enumeration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ApplicationContextFactory;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.context.ConfigurationPropertiesAutoConfiguration;
import org.springframework.boot.autoconfigure.context.PropertyPlaceholderAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;
import org.springframework.core.io.Resource;

/** An application with Rowlock, as it is started: the order of beans is that of a real start. */
public final class TestApplication {
    private static final String EXCLUDED = "spring.autoconfigure.exclude";
    private static final String JPA = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration,"
            + "org.springframework.boot.data.jpa.autoconfigure.DataJpaRepositoriesAutoConfiguration";

    /** Auto-configurations that neither Rowlock nor its tests look at. They are two fifths of the work of a start without a web server. */
    private static final String UNUSED = Stream.of(
                    "actuate.autoconfigure.info.InfoContributor",
                    "actuate.autoconfigure.web.server.ManagementContext",
                    "autoconfigure.info.ProjectInfo",
                    "autoconfigure.ssl.Ssl",
                    "data.autoconfigure.metrics.DataRepositoryMetrics",
                    "data.redis.autoconfigure.DataRedisReactive",
                    "data.redis.autoconfigure.DataRedisRepositories",
                    "data.redis.autoconfigure.observation.LettuceObservation",
                    "health.autoconfigure.actuate.endpoint.AvailabilityProbes",
                    "health.autoconfigure.application.AvailabilityHealthContributor",
                    "health.autoconfigure.application.DiskSpaceHealthContributor",
                    "health.autoconfigure.application.SslHealthContributor",
                    "http.converter.autoconfigure.HttpMessageConverters",
                    "jackson.autoconfigure.Jackson",
                    "micrometer.metrics.autoconfigure.export.prometheus.PrometheusMetricsExport",
                    "micrometer.metrics.autoconfigure.jvm.JvmMetrics",
                    "micrometer.metrics.autoconfigure.logging.logback.LogbackMetrics",
                    "micrometer.metrics.autoconfigure.ssl.SslMetrics",
                    "micrometer.metrics.autoconfigure.startup.StartupTimeMetricsListener",
                    "micrometer.metrics.autoconfigure.system.SystemMetrics",
                    "micrometer.metrics.autoconfigure.task.TaskExecutorMetrics",
                    "micrometer.observation.autoconfigure.ScheduledTasksObservation",
                    "netty.autoconfigure.Netty")
            .map(each -> "org.springframework.boot." + each + "AutoConfiguration")
            .collect(Collectors.joining(","));

    private final Map<String, Object> properties = new LinkedHashMap<>();
    private final List<String> arguments = new ArrayList<>();
    private final Class<?>[] sources;
    private WebApplicationType type = WebApplicationType.NONE;
    private ClassLoader seenByConditions = SearchedOnce.LOADER;

    public TestApplication(FreshSchema schema, Class<?>... additional) {
        this(additional);
        with("spring.datasource.url", schema.schema().jdbcUrl());
        with("spring.datasource.username", schema.schema().username());
        with("spring.datasource.password", schema.schema().password());
    }

    private TestApplication(Class<?>... additional) {
        sources = new Class<?>[additional.length + 1];
        sources[0] = Application.class;
        System.arraycopy(additional, 0, sources, 1, additional.length);
        with(EXCLUDED, JPA);
        with("spring.flyway.enabled", "false");
        with("spring.liquibase.enabled", "false");
        with("server.port", "0");
        with("spring.main.banner-mode", "off");
        with("spring.jmx.enabled", "false");
    }

    /** An application that names no database. */
    public static TestApplication withoutDatabase(Class<?>... additional) {
        return new TestApplication(additional);
    }

    public TestApplication with(String property, Object value) {
        properties.put(property, value);
        return this;
    }

    public TestApplication without(Class<?> autoConfiguration) {
        return with(EXCLUDED, JPA + "," + autoConfiguration.getName());
    }

    /** As on the command line, which wins over everything else. */
    public TestApplication withArgument(String property, String value) {
        arguments.add("--" + property + "=" + value);
        return this;
    }

    public TestApplication withFlyway() {
        return with("spring.flyway.enabled", "true").with("spring.flyway.locations", "classpath:application/flyway");
    }

    public TestApplication withLiquibase() {
        return with("spring.liquibase.enabled", "true")
                .with("spring.liquibase.change-log", "classpath:application/liquibase/changelog.yaml");
    }

    public TestApplication withUser(String user) {
        return with("spring.datasource.username", user).with("spring.datasource.password", FreshSchema.PASSWORD);
    }

    /** With Hibernate, and transactions of JPA. */
    public TestApplication withJpa() {
        // Connector/J cannot tell Hibernate about MariaDB: it asks for a column of KEYWORDS that only MySQL has
        return with(EXCLUDED, "")
                .with("spring.jpa.open-in-view", "false")
                .with("spring.jpa.properties.hibernate.dialect", "org.hibernate.dialect.MySQLDialect");
    }

    /** As if aspectjweaver were not on the class path: another proxy creator is at work. */
    public TestApplication withoutAspectj() {
        seenByConditions = new FilteredClassLoader("org.aspectj");
        return this;
    }

    /** With its locks in Redis. */
    public TestApplication withRedis(RedisServer server) {
        arguments.add("--rowlock.redis.enabled=true");
        return with("rowlock.strategy", "redis")
                .with("spring.data.redis.host", server.host())
                .with("spring.data.redis.port", server.port());
    }

    /** With no more auto-configurations than judge settings of locks. Such a start costs less than half of a whole one. */
    public TestApplication withLocksAlone() {
        sources[0] = LocksAlone.class;
        return this;
    }

    /** With a web server, which takes longer to start than all the rest. */
    public TestApplication withWeb() {
        type = WebApplicationType.SERVLET;
        return this;
    }

    public ConfigurableApplicationContext start() {
        if (type == WebApplicationType.NONE && excluded().startsWith(JPA)) {
            with(EXCLUDED, excluded() + "," + UNUSED);
        }
        return new SpringApplicationBuilder(sources)
                .web(type)
                .contextFactory(this::context)
                .resourceLoader(new DefaultResourceLoader(seenByConditions))
                // proxies belong beside the classes they extend
                .initializers(context -> context.addBeanFactoryPostProcessor(
                        beans -> beans.setBeanClassLoader(TestApplication.class.getClassLoader())))
                .properties(properties)
                .run(arguments.toArray(String[]::new));
    }

    private String excluded() {
        return String.valueOf(properties.get(EXCLUDED));
    }

    private ConfigurableApplicationContext context(WebApplicationType web) {
        boolean usual = web == WebApplicationType.NONE && !(seenByConditions instanceof FilteredClassLoader);
        return usual ? new ReadOnceContext() : ApplicationContextFactory.DEFAULT.create(web);
    }

    /** Reads each configuration class once a JVM, not once a start: that is a fifth of the work of one. */
    private static final class ReadOnceContext extends AnnotationConfigApplicationContext {
        private static final DefaultResourceLoader READ = new DefaultResourceLoader();

        @Override
        public <T> Map<Resource, T> getResourceCache(Class<T> type) {
            return READ.getResourceCache(type);
        }
    }

    /** Searches the class path for a name once a JVM, not once a start: each of several hundred starts looks into a hundred and more jars. */
    private static final class SearchedOnce extends ClassLoader {
        static final ClassLoader LOADER = new SearchedOnce();

        private final Set<String> missing = ConcurrentHashMap.newKeySet();
        private final Map<String, List<URL>> resources = new ConcurrentHashMap<>();

        SearchedOnce() {
            super(TestApplication.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (missing.contains(name)) {
                throw new ClassNotFoundException(name);
            }
            try {
                return getParent().loadClass(name);
            } catch (ClassNotFoundException e) {
                missing.add(name);
                throw e;
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            List<URL> found = found(name);
            return found.isEmpty() ? null : found.get(0);
        }

        @Override
        public Enumeration<URL> getResources(String name) {
            return Collections.enumeration(found(name));
        }

        private List<URL> found(String name) {
            return resources.computeIfAbsent(
                    name, any -> getParent().resources(any).toList());
        }
    }

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @SpringBootConfiguration(proxyBeanMethods = false)
    @ImportAutoConfiguration({
        AopAutoConfiguration.class,
        ConfigurationPropertiesAutoConfiguration.class,
        DataRedisAutoConfiguration.class,
        DataSourceAutoConfiguration.class,
        DataSourceTransactionManagerAutoConfiguration.class,
        EndpointAutoConfiguration.class,
        HealthContributorRegistryAutoConfiguration.class,
        PropertyPlaceholderAutoConfiguration.class,
        RowlockActuatorAutoConfiguration.class,
        RowlockAutoConfiguration.class,
        RowlockDataSourceAutoConfiguration.class,
        RowlockInterceptorAutoConfiguration.class,
        RowlockLeaderAutoConfiguration.class,
        RowlockMicrometerAutoConfiguration.class,
        RowlockRedisAutoConfiguration.class,
        RowlockStartUpAutoConfiguration.class,
        RowlockTransactionAutoConfiguration.class,
        TransactionAutoConfiguration.class
    })
    static class LocksAlone {}
}
