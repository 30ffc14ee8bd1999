package io.rowlock.test;

import io.rowlock.store.memory.InMemoryLockStore;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;

/**
 * Gives a Spring Boot test a hold on the application's locks: beans of type {@link LockControl}, to have a lock busy, lost
 * or expired, and {@link LockRecorder}, to assert what was locked.
 *
 * <p>Locks are kept in memory, whatever strategies the application names: each is an {@link InMemoryLockStore} of one
 * table. A commit under a lock that has ended is refused, as on a database. Rowlock then asks no database and creates no
 * tables, and every application context has locks of its own. A slice, such as {@code @DataJpaTest}, has its locks, too. A test that keeps its locks on a real server imports the two
 * beans instead: {@code @Import({LockControl.class, LockRecorder.class})}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ImportAutoConfiguration
public @interface RowlockTest {}
