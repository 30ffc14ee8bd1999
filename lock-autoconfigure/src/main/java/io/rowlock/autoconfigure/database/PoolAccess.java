package io.rowlock.autoconfigure.database;

import com.zaxxer.hikari.HikariConfigMXBean;
import com.zaxxer.hikari.HikariDataSource;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.BeansException;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * Derives where a pool leads, and as whom, from the DataSource of the application. Not by Spring Boot's
 * DataSourceBuilder.derivedFrom: it returns a sentence for the password of Tomcat's pool, and fails for those of DBCP2 and c3p0.
 */
final class PoolAccess {
    private static final Logger log = LoggerFactory.getLogger(PoolAccess.class);

    private static final int MOST_LAYERS = 20;

    /** Among the connection properties of some pools; they are set by themselves. */
    private static final Set<String> CREDENTIALS = Set.of("user", "password");

    private PoolAccess() {}

    /**
     * Copies it.
     *
     * @param given what need not be derived
     * @throws RowlockSetupException if {@code application} does not tell
     */
    static void derive(
            DataSource application,
            @Nullable JdbcConnectionDetails details,
            RowlockProperties.Datasource given,
            HikariDataSource to) {
        boolean routing = LockDatabase.wraps(application, AbstractRoutingDataSource.class);
        // By the interface, so that wrappers of other kinds than Spring's are asked what they wrap
        HikariDataSource hikari = routing
                ? null
                : DataSourceUnwrapper.unwrap(application, HikariConfigMXBean.class, HikariDataSource.class);
        if (hikari != null && hikari.getJdbcUrl() != null) {
            copy(hikari, to);
            return;
        }
        BeanWrapperImpl pool = routing ? null : withUrl(application);
        if (details != null && (pool == null || leadsTo(details, pool))) {
            to.setJdbcUrl(details.getJdbcUrl());
            to.setDriverClassName(details.getDriverClassName());
            to.setUsername(details.getUsername());
            to.setPassword(details.getPassword());
        } else if (pool != null) {
            copy(pool, given.password() != null, to);
        } else {
            throw refusal(application, "does not tell where it leads");
        }
    }

    // Not HikariConfig.copyStateTo: the copy would share the properties of the original, and change them
    static void copy(HikariDataSource from, HikariDataSource to) {
        PropertyMapper set = PropertyMapper.get();
        to.setJdbcUrl(from.getJdbcUrl());
        set.from(from.getDriverClassName()).to(to::setDriverClassName);
        to.setCredentials(from.getCredentials());
        // A password that is rotated in the running pool counts here, too
        to.setCredentialsProvider(
                from.getCredentialsProvider() != null ? from.getCredentialsProvider() : from::getCredentials);
        set.from(from.getExceptionOverride()).to(to::setExceptionOverride);
        to.getDataSourceProperties().putAll(from.getDataSourceProperties());
        to.setCatalog(from.getCatalog());
        to.setSchema(from.getSchema());
        to.setMaxLifetime(from.getMaxLifetime());
        to.setKeepaliveTime(from.getKeepaliveTime());
    }

    private static void copy(BeanWrapperImpl from, boolean passwordGiven, HikariDataSource to) {
        to.setJdbcUrl(url(from));
        PropertyMapper.get()
                .from(text(from, "driverClassName", "driverClass"))
                .whenHasText()
                .to(to::setDriverClassName);
        to.setUsername(text(from, "username", "userName", "user"));
        if (!passwordGiven) {
            to.setPassword(password(from));
        }
        for (String name : List.of("connectProperties", "dbProperties", "connectionProperties", "properties")) {
            if (value(from, name) instanceof Properties properties) {
                properties.stringPropertyNames().stream()
                        .filter(property -> !CREDENTIALS.contains(property))
                        .forEach(property -> to.addDataSourceProperty(property, properties.getProperty(property)));
            }
        }
    }

    private static @Nullable String password(BeanWrapperImpl from) {
        // Tomcat's own getPassword() is a sentence for people
        String password =
                text(from, from.isReadableProperty("poolProperties") ? "poolProperties.password" : "password");
        if (value(from, "passwordCallback") != null || value(from, "userCallback") != null) {
            throw refusal((DataSource) from.getWrappedInstance(), "does not tell its password");
        }
        return password;
    }

    private static boolean leadsTo(JdbcConnectionDetails details, BeanWrapperImpl pool) {
        return new JdbcUrl(details.getJdbcUrl()).database().equals(new JdbcUrl(String.valueOf(url(pool))).database());
    }

    private static @Nullable BeanWrapperImpl withUrl(DataSource application) {
        return Stream.<@Nullable DataSource>iterate(application, Objects::nonNull, PoolAccess::wrapped)
                .limit(MOST_LAYERS)
                .map(BeanWrapperImpl::new)
                .filter(layer -> url(layer) != null)
                .findFirst()
                .orElse(null);
    }

    /** Returns what a DataSource wraps, or null. Also for Spring Boot 4.0, which cannot unwrap one wholly. */
    private static @Nullable DataSource wrapped(DataSource dataSource) {
        if (dataSource instanceof DelegatingDataSource delegating) {
            return delegating.getTargetDataSource();
        }
        if (AopUtils.isAopProxy(dataSource)
                && AopProxyUtils.getSingletonTarget(dataSource) instanceof DataSource target) {
            return target;
        }
        try {
            DataSource unwrapped =
                    dataSource.isWrapperFor(DataSource.class) ? dataSource.unwrap(DataSource.class) : null;
            if (unwrapped != null && unwrapped != dataSource) {
                return unwrapped;
            }
            Object target = value(new BeanWrapperImpl(dataSource), "dataSource");
            return target instanceof DataSource wrapped ? wrapped : null;
        } catch (SQLException | RuntimeException ex) {
            return null; // it has nothing to say about what it wraps
        }
    }

    private static @Nullable String url(BeanWrapperImpl pool) {
        return text(pool, "jdbcUrl", "url");
    }

    private static @Nullable String text(BeanWrapperImpl pool, String... names) {
        for (String name : names) {
            if (value(pool, name) instanceof String text) {
                return text;
            }
        }
        return null;
    }

    /** Returns what a property of a pool says, or null if it has none, or that cannot be read. */
    private static @Nullable Object value(BeanWrapperImpl pool, String name) {
        try {
            return pool.isReadableProperty(name) ? pool.getPropertyValue(name) : null;
        } catch (BeansException ex) {
            log.debug("{} of a {} cannot be read", name, pool.getWrappedClass().getName());
            return null;
        }
    }

    private static RowlockSetupException refusal(DataSource application, String why) {
        return new RowlockSetupException(
                "Rowlock cannot derive its connection pool from the application's DataSource: a %s %s."
                        .formatted(application.getClass().getName(), why),
                LockPool.WAYS_OUT);
    }
}
