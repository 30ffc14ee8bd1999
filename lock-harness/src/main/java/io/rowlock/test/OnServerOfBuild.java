package io.rowlock.test;

import io.rowlock.test.database.ServerFlavor;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;

/**
 * Does for a Spring Boot test what {@link OnEachServer} does for others: runs it on one kind of server in every build, and on MariaDB with
 * {@code -Pfull}. Spring keeps one application for a class, so a build has it on one server. All else is as with {@link OnServer}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Tag(FullBuild.TOO)
@OnServer(inFullBuild = ServerFlavor.MARIADB)
public @interface OnServerOfBuild {}
