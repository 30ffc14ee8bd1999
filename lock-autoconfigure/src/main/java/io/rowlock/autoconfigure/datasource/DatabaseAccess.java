package io.rowlock.autoconfigure.datasource;

import com.zaxxer.hikari.HikariDataSource;
import org.jspecify.annotations.Nullable;

/**
 * The way to the database that keeps the locks, as far as the application gives it. What it does not give is derived from its
 * DataSource.
 *
 * @param url where it is; null for where the application's DataSource leads
 * @param username who connects
 * @param password their password
 * @param driverClassName the driver
 */
public record DatabaseAccess(
        @Nullable String url,
        @Nullable String username,
        @Nullable String password,
        @Nullable String driverClassName) {

    /** Overwrites what was derived. */
    void applyTo(HikariDataSource pool) {
        if (username != null || password != null) {
            pool.setCredentialsProvider(null);
        }
        if (url != null) {
            pool.setJdbcUrl(url);
        }
        if (driverClassName != null) {
            pool.setDriverClassName(driverClassName);
        }
        if (username != null) {
            pool.setUsername(username);
        }
        if (password != null) {
            pool.setPassword(password);
        }
    }

    /** Hides the password, and the URL, which may hold one. */
    @Override
    public String toString() {
        return "DatabaseAccess of " + username;
    }
}
