package io.rowlock.test;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.turbo.TurboFilter;
import ch.qos.logback.core.spi.FilterReply;
import java.lang.reflect.Method;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.InvocationInterceptor;
import org.junit.jupiter.api.extension.ReflectiveInvocationContext;
import org.slf4j.Marker;

/**
 * Runs the tests of a class, and what comes before each, in a group of threads to which all belong that they start. So what happens
 * because of them can be told from what happens because of a class beside them.
 */
public class OwnThreads implements InvocationInterceptor {
    private final ThreadGroup group;

    public OwnThreads(String name) {
        this(new ThreadGroup(name));
    }

    protected OwnThreads(ThreadGroup group) {
        this.group = group;
    }

    /** Tells if this is a thread of a test of the class, or one that such a test has started. */
    public boolean areCurrent() {
        return group.parentOf(Thread.currentThread().getThreadGroup());
    }

    /** Returns a filter that has that answer to what these threads log, and none to what others do. */
    public TurboFilter filter(BiFunction<Logger, Level, FilterReply> answer) {
        return new TurboFilter() {
            @Override
            public FilterReply decide(
                    @Nullable Marker marker,
                    Logger logger,
                    Level level,
                    @Nullable String format,
                    Object @Nullable [] arguments,
                    @Nullable Throwable thrown) {
                return areCurrent() ? answer.apply(logger, level) : FilterReply.NEUTRAL;
            }
        };
    }

    @Override
    public void interceptBeforeEachMethod(
            Invocation<Void> method, ReflectiveInvocationContext<Method> context, ExtensionContext test)
            throws Throwable {
        run(method);
    }

    @Override
    public void interceptTestMethod(
            Invocation<Void> method, ReflectiveInvocationContext<Method> context, ExtensionContext test)
            throws Throwable {
        run(method);
    }

    @Override
    public void interceptTestTemplateMethod(
            Invocation<Void> method, ReflectiveInvocationContext<Method> context, ExtensionContext test)
            throws Throwable {
        run(method);
    }

    private void run(Invocation<Void> method) throws Throwable {
        @Nullable Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(
                group,
                () -> {
                    try {
                        method.proceed();
                    } catch (Throwable e) {
                        thrown[0] = e;
                    }
                },
                group.getName());
        thread.start();
        try {
            thread.join();
        } catch (InterruptedException e) {
            thread.interrupt();
            throw e;
        }
        if (thrown[0] != null) {
            throw thrown[0];
        }
    }
}
