package io.rowlock.store.redis;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class on a server and then on a cluster of three masters; without {@code redis-server} it is skipped. Methods may
 * take a {@link io.rowlock.client.LockBackend}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ClassTemplate
@ExtendWith(EachRedisExtension.class)
public @interface OnEachRedis {}
