package io.rowlock.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks the method of a test class that is called once a server with the class's schema is there, before the tests, on each server that
 * the class runs on. The method is static or the class has one instance ({@code PER_CLASS}), and it may take the parameters of a test.
 */
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.METHOD)
public @interface BeforeServer {}
