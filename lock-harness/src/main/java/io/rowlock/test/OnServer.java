package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.TestSchema;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class on a real server, in a schema of its own that is dropped after the class; without such a server the
 * class is skipped. Subclasses and nested classes inherit it, and nested classes share the schema.
 *
 * <p>Constructors and methods of the test may take a {@link DatabaseServer}, a {@link TestSchema} or a
 * {@link javax.sql.DataSource}, the last one for the class's schema and without a pool.
 *
 * <p>The schema has Rowlock's tables, except in a Spring Boot test: there it is empty, {@code spring.datasource.url},
 * {@code username} and {@code password} point to it, and the application creates its tables and Rowlock's as it would in
 * production. Such a class has an application context of its own, closed before the schema is dropped. A
 * {@code @ServiceConnection} wins over these properties, as over any others.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(ServerExtension.class)
public @interface OnServer {

    /** The flavours that will do; the first one that is available is used. By default MySQL, else MariaDB. */
    ServerFlavor[] value() default {ServerFlavor.MYSQL, ServerFlavor.MARIADB};

    /** The flavours that will do with {@code -Pfull}; by default the same. */
    ServerFlavor[] inFullBuild() default {};
}
