package io.rowlock.annotation;

import io.rowlock.OnLost;
import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import org.springframework.core.annotation.AliasFor;

/**
 * Runs a method under an exclusive lock: no other thread holds the lock meanwhile, in this process or any other.
 *
 * <p>On the same key it excludes {@link WriteLock}, which means the same, {@link ReadLock} and {@link DistributedSemaphore}. What follows
 * holds for these annotations, too.
 *
 * <p><b>Key.</b> The lock key is {@link #name()} alone, the value of {@link #key()} alone, or both joined by {@code ":"}; one of
 * them is required. It is evaluated once, before the method runs, and has at most 255 bytes of UTF-8.
 *
 * <p><b>Where.</b> On a class or an interface the annotation applies to every public instance method, inherited ones included, but not to
 * {@code equals}, {@code hashCode}, {@code toString} and the {@link #fallback()}. An annotation of the method wins as a
 * whole; attributes are not mixed. Annotations of overridden and interface methods count, the nearest one first, and so
 * do annotations that are annotated with this one, their attributes mapped by {@link AliasFor}.
 *
 * <p><b>Proxy.</b> A proxy acquires the lock outside of {@code @Transactional} and releases it when the transaction has ended. A
 * call from within the same object acquires no lock, unless the method is woven with rowlock-aspects. A method that no proxy can
 * intercept (private, static, final) is an error at start-up, as is every other value that is known then to be wrong. The container calls {@code @Bean} methods and
 * life-cycle methods ({@code @PostConstruct}, {@code @PreDestroy}, {@code @Autowired}, {@code afterPropertiesSet}) without the
 * proxy: annotated themselves they are an error at start-up, and an annotation of their class does not apply to them.
 *
 * <p><b>Results.</b> A method that returns a {@code CompletionStage} keeps the lock until that completes. One that returns a reactive type
 * acquires it at each subscription and keeps it until that terminates. If the future or the subscription is cancelled or times out, the
 * work may go on unseen, so the lock is not released: it is no longer renewed and expires after its ttl. A method that returns a plain
 * {@code Future}, a {@code Callable}, a {@code WebAsyncTask}, a {@code DeferredResult}, a stream, an iterator, a
 * {@code ResponseBodyEmitter} or a {@code StreamingResponseBody} is an error at start-up: that work is done after the method has
 * returned, and its end cannot be seen. Return {@code CompletableFuture}.
 *
 * <p><b>Values.</b> All text attributes but {@link #key()} may contain ${…} placeholders. Durations are written as in Spring
 * Boot: a number and a unit out of {@code ns}, {@code us}, {@code ms}, {@code s}, {@code m}, {@code h}, {@code d}
 * ({@code "30s"}), several of them ({@code "1m30s"}), or ISO 8601 ({@code "PT30S"}). A number without a unit is refused.
 *
 * <p><b>Failures.</b> A call can fail with {@link io.rowlock.LockNotAcquiredException}, {@link io.rowlock.LockInterruptedException} or
 * {@link io.rowlock.LockStoreException}, without its body having run, with {@link io.rowlock.LockLostException}, its
 * transaction rolled back if its commit was refused, and with {@link IllegalArgumentException} if the key turns out null, empty or too long.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface DistributedLock {
    /** @return alias for {@link #name()} */
    @AliasFor("name")
    String value() default "";

    /**
     * The lock key, or its first part if there is a {@link #key()}: a literal. A name that looks like an expression
     * ({@code "order:#orderId"}, {@code "#{…}"}, {@code "@bean.name()"}) is an error at start-up. To mean such a text literally,
     * write it as a SpEL string: {@code key = "'C#sharp'"}.
     *
     * @return the name, or empty for none
     */
    @AliasFor("value")
    String name() default "";

    /**
     * The part of the lock key that depends on the call, as a SpEL expression: {@code "#order.id"}. It sees the
     * arguments by name (as the annotated method names them, which needs {@code -parameters}) and as {@code #p0},
     * {@code #a0}; {@code #root.method}, {@code #root.methodName}, {@code #root.args}, {@code #root.target} and
     * {@code #root.targetClass}; and beans as {@code @name}. A collection, array or stream of values acquires the lock of
     * every one of them, or none. Values are strings, integral numbers, {@code BigDecimal}, booleans, characters, enums (by name),
     * {@code UUID}, {@code java.time}, {@code URI}, {@code Path}, {@code Locale}, {@code Currency}, an {@code Optional} of these, or
     * records and lists of these, because equal values have one text then; a class that declares {@code toString} is accepted with a
     * warning. Another, null or empty value, or a blank one beside a name, is an {@link IllegalArgumentException}. An unknown
     * variable, and a first property that the declared type of a variable does not have, is an error at start-up; the properties of
     * interfaces, abstract classes, maps and {@code Object} are read by the call.
     *
     * @return the expression, or empty for none
     */
    String key() default "";

    /** @return how long a holder that died keeps the lock; positive; empty for {@code rowlock.ttl} */
    String ttl() default "";

    /** @return how long to wait for a busy lock; {@code "0s"} tries once; empty for {@code rowlock.wait-time} */
    String waitTime() default "";

    /** @return what to do when the lock is busy until the wait time is over; {@link OnBusy#THROW} if unset */
    OnBusy onBusy() default OnBusy.THROW;

    /**
     * The method to call instead, without the lock, when the lock is busy until the wait time is over: of the same
     * class or a superclass, with the same parameter types and a compatible return type; it may be private or static.
     * It cannot be combined with {@link OnBusy#SKIP}, and is not called if the database fails or the thread is
     * interrupted.
     *
     * @return the name of the method, or empty for none
     */
    String fallback() default "";

    /**
     * The time for which the lock is kept at least, counted from when it was granted, though the method was faster: a job
     * that starts on many nodes at about the same time then runs on one of them.
     *
     * @return the minimum, not negative; empty for none
     */
    String holdAtLeast() default "";

    /** @return the name of the strategy that keeps the lock; empty for {@code rowlock.strategy} */
    String strategy() default "";

    /**
     * The consequence of a loss of the lock while the method runs. With {@link OnLost#NOTIFY} and {@link OnLost#INTERRUPT} the caller
     * gets the method's exception or its result, unless a commit is refused. {@link OnLost#INTERRUPT} needs a method that does its work on the
     * thread that calls it: one that returns a {@code CompletionStage} or a reactive type is
     * an error at start-up. With {@link OnLost#THROW} the call, its future or its publisher ends with
     * {@link io.rowlock.LockLostException} after the method; a future of a class of its own is an error at start-up.
     *
     * @return {@link OnLost#NOTIFY} if unset
     */
    OnLost onLost() default OnLost.NOTIFY;
}
