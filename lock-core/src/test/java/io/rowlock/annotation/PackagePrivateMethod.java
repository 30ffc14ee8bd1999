package io.rowlock.annotation;

/** For a bean of another package. */
public class PackagePrivateMethod {
    @DistributedLock("x")
    void run() {}
}
