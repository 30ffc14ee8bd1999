package io.rowlock.test;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.junit.jupiter.api.ClassTemplate;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * Runs a test class once on each kind of server, one run after the other, each with Rowlock's tables in a schema of its own; the
 * tests of a server that cannot be had are skipped. Takes the same parameters as {@link OnServer}. A {@code BeforeAll} comes before
 * both runs and knows no server: a class that needs one once for each server has a subclass for each with {@link OnServer}.
 */
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@ClassTemplate
@ExtendWith(EachServerExtension.class)
public @interface OnEachServer {}
