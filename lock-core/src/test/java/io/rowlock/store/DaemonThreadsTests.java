package io.rowlock.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

class DaemonThreadsTests {
    private static final InheritableThreadLocal<String> TENANT = new InheritableThreadLocal<>();

    /** Works for all, for as long as the process, whatever thread needs it first. */
    @Test
    void threadKnowsNothingOfTheRequestThatHappenedToNeedIt() throws Exception {
        TENANT.set("a");
        try {
            assertThat(inThread(TENANT::get)).isNull();
        } finally {
            TENANT.remove();
        }
    }

    @Test
    void threadFindsTheClassesOfTheApplication() throws Exception {
        Thread caller = Thread.currentThread();
        ClassLoader before = caller.getContextClassLoader();
        try (URLClassLoader application = new URLClassLoader(new URL[0], before)) {
            caller.setContextClassLoader(application);
            assertThat(inThread(() -> Thread.currentThread().getContextClassLoader()))
                    .isSameAs(application);
        } finally {
            caller.setContextClassLoader(before);
        }
    }

    private static <T> T inThread(Supplier<T> look) throws Exception {
        CompletableFuture<T> seen = new CompletableFuture<>();
        Thread thread = DaemonThreads.named("test").newThread(() -> seen.complete(look.get()));
        assertThat(thread.isDaemon()).isTrue();
        thread.start();
        return seen.get();
    }
}
