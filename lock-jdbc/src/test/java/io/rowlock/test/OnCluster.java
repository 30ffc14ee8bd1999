package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.parallel.ResourceLock;

/**
 * Runs a test class on a cluster that is started for it and stopped after it, with {@code -Pcluster} only; where it cannot be
 * started the class is skipped. One such class runs at a time: their servers listen on fixed ports. Its methods may take a {@link TestCluster}, a {@link DatabaseServer} and a {@link TestSchema}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@Tag("cluster")
@ResourceLock("io.rowlock.test.cluster")
@ExtendWith(ClusterExtension.class)
public @interface OnCluster {
    ClusterKind value();
}
