package io.rowlock.leader;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Runs a method on the leader of a role only. Elsewhere the call is skipped: it returns null, an empty {@code Optional},
 * a completed future of null, or nothing.
 *
 * <p>A bean with such a method makes the node stand for election from start-up, unless
 * {@code rowlock.leader.roles.<role>.enabled} is false. Whether the node leads is decided when the method is called, and
 * asks no database. If the leadership is lost, or yielded on another thread, while the method runs, the method goes on,
 * but no transaction of its thread commits any more: neither one that the method begins nor one it was called in. A
 * transaction in which the method itself yields may commit, because the lock is kept until it has. What a returned future
 * does later, on another thread, is not guarded.
 *
 * <p>The leadership is asked for by a proxy, outside of the lock annotations and {@code @Transactional}: a call from
 * within the same object runs everywhere. A method that no proxy can intercept (private, static, final), one that returns
 * a primitive value or a type that excludes null, which nothing can stand for, and one whose result is worked on after the call (a reactive
 * type, a {@code Callable}, a stream), are errors at start-up. Annotations of overridden and interface methods count, and so do annotations that are
 * annotated with this one.
 */
@Documented
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.ANNOTATION_TYPE})
public @interface LeaderOnly {
    /** @return the name of the role; may contain ${…} placeholders */
    String value();
}
