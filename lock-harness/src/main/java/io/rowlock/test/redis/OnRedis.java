package io.rowlock.test.redis;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class on a real Redis server that all classes of the JVM share; without one the class is skipped. Subclasses and
 * nested classes inherit it. Constructors and methods of the test may take a {@link RedisServer}.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ExtendWith(RedisExtension.class)
public @interface OnRedis {}
