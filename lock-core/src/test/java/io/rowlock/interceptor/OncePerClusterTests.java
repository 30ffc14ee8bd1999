package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.rowlock.LockRequest;
import io.rowlock.OnLost;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OncePerCluster;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Primary;
import org.springframework.context.annotation.Scope;
import org.springframework.core.annotation.AliasFor;

class OncePerClusterTests {
    @Test
    void lockIsCalledAfterTheMethodAndKeptForAWhile() {
        try (GuardedContext context = new GuardedContext(Map.of("minimum", "3s"), Jobs.class)) {
            Jobs jobs = context.bean(Jobs.class);
            jobs.nightly();
            jobs.named();
            jobs.composed();
            List<LockRequest> requests = context.client.requests;
            assertThat(requests)
                    .extracting(request -> request.keys().get(0))
                    .containsExactly("OncePerClusterTests.Jobs.nightly", "import", "OncePerClusterTests.Jobs.composed");
            assertThat(requests).extracting(LockRequest::waitTime).containsOnly(Duration.ZERO);
            assertThat(requests)
                    .extracting(LockRequest::holdAtLeast)
                    .containsExactly(Duration.ofSeconds(10), Duration.ofMinutes(1), Duration.ofSeconds(3));
            LockRequest named = requests.get(1);
            assertThat(named.ttl()).isEqualTo(Duration.ofMinutes(5));
            assertThat(named.strategy()).isEqualTo("row-lock");
            assertThat(named.onLost()).isEqualTo(OnLost.INTERRUPT);
        }
    }

    @Test
    void jobOfAnotherNodeIsSkipped() {
        try (GuardedContext context = new GuardedContext(Map.of("minimum", "3s"), Jobs.class)) {
            context.client.beBusy();
            assertThat(context.bean(Jobs.class).nightly()).isNull();
        }
    }

    @Test
    void twoMethodsOfOneNameAreRefused() {
        refused("Overloaded.run", "give one of them a name of its own", Overloaded.class);
        refused("\"import\"", "Import.run", Import.class, OtherImport.class);
    }

    @Test
    void twoBeansOfOneClassAreRefused() {
        refused("OncePerClusterTests.Template.run", "one", Two.class);
    }

    @Test
    void subclassesAndInstancesOfOneBeanAreNoTwoJobs() {
        try (GuardedContext context = new GuardedContext(First.class, Second.class, Many.class)) {
            assertThat(context.bean(Template.class)).isNotSameAs(context.bean(Template.class));
        }
    }

    private static void refused(String name, String what, Class<?>... beans) {
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> new GuardedContext(beans).close())
                .havingRootCause()
                .isInstanceOf(InvalidLockAnnotationException.class)
                .withMessageContaining(name)
                .withMessageContaining(what);
    }

    @Retention(RetentionPolicy.RUNTIME)
    @OncePerCluster(holdAtLeast = "${minimum}")
    @interface OwnJob {
        @AliasFor(annotation = OncePerCluster.class, attribute = "ttl")
        String ttl() default "";
    }

    static class Jobs {
        @OncePerCluster
        public @Nullable String nightly() {
            return "ran";
        }

        @OncePerCluster(
                value = "import",
                holdAtLeast = "1m",
                ttl = "5m",
                strategy = "row-lock",
                onLost = OnLost.INTERRUPT)
        public void named() {}

        @OwnJob
        public void composed() {}
    }

    static class Overloaded {
        @OncePerCluster
        public void run() {}

        @OncePerCluster
        public void run(String text) {}
    }

    static class Import {
        @OncePerCluster("import")
        public void run() {}
    }

    static class OtherImport {
        @OncePerCluster("import")
        public void run() {}
    }

    static class Template {
        @OncePerCluster
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Two {
        @Bean
        Template one() {
            return new Template();
        }

        @Bean
        Template other() {
            return new Template();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Many {
        @Bean
        @Primary
        @Scope("prototype")
        Template many() {
            return new Template();
        }
    }

    static class First extends Template {}

    static class Second extends Template {}
}
