package io.rowlock.store.redis;

import io.rowlock.test.FullBuild;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class on a server in every build and on a cluster of three masters with {@code -Pfull}; without {@code redis-server} it
 * is skipped. Methods may take a {@link io.rowlock.client.LockBackend}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ClassTemplate
@Tag(FullBuild.TOO)
@ExtendWith(EachRedisExtension.class)
public @interface OnEachRedis {}
