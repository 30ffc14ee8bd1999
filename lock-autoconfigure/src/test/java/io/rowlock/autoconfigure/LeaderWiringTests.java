package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OncePerCluster;
import io.rowlock.autoconfigure.RowlockProperties.RoleProperties;
import io.rowlock.autoconfigure.database.RowlockDataSourceAutoConfiguration;
import io.rowlock.autoconfigure.leader.RowlockLeaderAutoConfiguration;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.leader.LeadershipEvent;
import io.rowlock.leader.LeadershipEvent.Transition;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.aspectj.lang.annotation.Aspect;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.BeanFactoryAnnotationUtils;
import org.springframework.boot.LazyInitializationBeanFactoryPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.web.context.request.async.WebAsyncTask;
import reactor.core.publisher.Mono;

/** Wiring of elections that asks no database: there is none, so there is no leader. */
class LeaderWiringTests {
    private static final AutoConfigurations ROWLOCK = AutoConfigurations.of(
            RowlockAutoConfiguration.class,
            RowlockDataSourceAutoConfiguration.class,
            RowlockLeaderAutoConfiguration.class,
            RowlockInterceptorAutoConfiguration.class);

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(ROWLOCK)
            .withConfiguration(AutoConfigurations.of(DataSourceAutoConfiguration.class))
            .withPropertyValues(
                    "spring.datasource.url=jdbc:mysql://127.0.0.1:1/test?useAffectedRows=true",
                    "rowlock.pool.connection-timeout=250ms",
                    "rowlock.schema.initialize=never");

    @Test
    void withoutRolesThereAreElectionsButNoElection() {
        runner.run(context -> assertThat(context)
                .hasSingleBean(LeaderElections.class)
                .hasBean("rowlockLeaderElectionLifecycle")
                .doesNotHaveBean(LeaderElection.class));
    }

    @Test
    void everyRoleOfThePropertiesHasABean() {
        runner.withPropertyValues(
                        "rowlock.leader.roles.night-shift.ttl=7s", "rowlock.leader.roles.day-shift.enabled=false")
                .run(context -> {
                    assertThat(context.getBeansOfType(LeaderElection.class))
                            .containsOnlyKeys("leaderElection.night-shift", "leaderElection.day-shift");
                    LeaderElection night = BeanFactoryAnnotationUtils.qualifiedBeanOfType(
                            context.getBeanFactory(), LeaderElection.class, "night-shift");
                    assertThat(night.role()).isEqualTo("night-shift");
                    assertThat(context.getBean(LeaderElections.class).of("night-shift"))
                            .isSameAs(night);
                });
    }

    @Test
    void everyAnnotatedRoleHasABean() {
        runner.withBean(Annotated.class)
                .withPropertyValues("role=placed", "rowlock.leader.roles.plain.ttl=9s")
                .run(context -> assertThat(context.getBeansOfType(LeaderElection.class))
                        .containsOnlyKeys("leaderElection.plain", "leaderElection.placed"));
    }

    @Test
    void nodeIsACandidateFromItsStartThoughBeansAreMadeLazily() {
        runner.withBean(Annotated.class)
                .withPropertyValues("role=placed")
                .withInitializer(context ->
                        context.addBeanFactoryPostProcessor(new LazyInitializationBeanFactoryPostProcessor()))
                .run(context -> assertThat(context.getBeanFactory().containsSingleton("leaderElection.plain"))
                        .isTrue());
    }

    @Test
    void noMethodIsCalledWithoutALeader() {
        runner.withBean(Annotated.class).withPropertyValues("role=placed").run(context -> {
            Annotated bean = context.getBean(Annotated.class);
            assertThat(bean.text()).isNull();
            assertThat(bean.optional()).isEmpty();
            assertThat(bean.future()).isCompletedWithValue(null);
            bean.nothing();
            assertThat(bean.calls).isZero();
        });
    }

    @Test
    void disabledEveryNodeRunsTheMethod() {
        runner.withBean(Annotated.class)
                .withPropertyValues("role=placed", "rowlock.enabled=false")
                .run(context -> {
                    assertThat(context.getBean(Annotated.class).text()).isEqualTo("text");
                    assertThat(context).doesNotHaveBean(LeaderElections.class);
                });
    }

    @Test
    void withoutADatabaseTheStartFails() {
        new ApplicationContextRunner()
                .withConfiguration(ROWLOCK)
                .withBean(Annotated.class)
                .withPropertyValues("role=placed")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOf(InvalidLockAnnotationException.class)
                        .hasMessageContaining("no LeaderElections bean"));
    }

    static List<Object> wrong() {
        return List.of(
                new Object[] {Primitive.class, "primitive type \"int\""},
                new Object[] {Private.class, "run on every node: the method is private"},
                new Object[] {Static.class, "the method is static"},
                new Object[] {Final.class, "the method is final"},
                new Object[] {Reactive.class, "reactor.core.publisher.Mono"},
                new Object[] {ReturnsCallable.class, "java.util.concurrent.Callable"},
                new Object[] {ReturnsTasks.class, "WebAsyncTask"},
                new Object[] {NeverNull.class, "the return type java.lang.String excludes"},
                new Object[] {Blank.class, "must not be blank"},
                new Object[] {Unresolved.class, "nowhere"},
                new Object[] {TooLong.class, "the limit is 255"});
    }

    @ParameterizedTest
    @MethodSource
    void wrong(Class<?> bean, String message) {
        runner.withBean(bean)
                .run(context ->
                        assertThat(context.getStartupFailure()).rootCause().hasMessageContaining(message));
    }

    @Test
    void aspectsGetNoProxySoTheirMethodsAreRefused() {
        ApplicationContextRunner aspects = runner.withConfiguration(AutoConfigurations.of(AopAutoConfiguration.class));
        for (Class<?> aspect : List.of(LedAspect.class, LockedAspect.class)) {
            aspects.withBean(aspect)
                    .run(context -> assertThat(context.getStartupFailure())
                            .rootCause()
                            .hasMessageContaining(aspect.getSimpleName() + ".run()")
                            .hasMessageContaining("it is an aspect"));
        }
    }

    @Test
    void leadershipIsYieldedBeforeAnythingElseStops() {
        runner.withBean(Stopping.class).run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            assertThat(elections.isStarted()).isTrue();
            Stopping stopping = context.getBean(Stopping.class);
            stopping.elections = elections;
            context.close();
            assertThat(stopping.soughtMeanwhile).isFalse();
        });
    }

    @Test
    void endOfAChildContextIsNotTheEndOfTheElections() {
        runner.run(context -> {
            try (var child = new GenericApplicationContext(context.getSourceApplicationContext())) {
                child.refresh();
            }
            assertThat(context.getBean(LeaderElections.class).isStarted()).isTrue();
        });
    }

    @Test
    void electionsThatWereStoppedBeginAnewWithTheContext() {
        runner.run(context -> {
            LeaderElections elections = context.getBean(LeaderElections.class);
            context.getSourceApplicationContext().stop();
            assertThat(elections.isStarted()).isFalse();
            context.getSourceApplicationContext().start();
            assertThat(elections.isStarted()).isTrue();
        });
    }

    @Test
    void listenerMayNeedTheElectionItListensTo() {
        runner.withBean(Listening.class)
                .withPropertyValues("rowlock.leader.roles.a.enabled=true")
                .run(context -> {
                    Listening bean = context.getBean(Listening.class);
                    await().until(() -> bean.heard.contains(new LeadershipEvent("a", Transition.UNKNOWN, 0)));
                });
    }

    @Test
    void electionsOfTheApplicationTakeThePlaceOfTheOwn() {
        runner.withUserConfiguration(OwnElections.class)
                .run(context -> assertThat(context)
                        .hasSingleBean(LeaderElections.class)
                        .hasBean("rowlockLeaderElectionLifecycle"));
    }

    @Test
    void childThatClosesEndsNoElectionOfItsParent() {
        runner.withPropertyValues("rowlock.leader.roles.a.enabled=true").run(parent -> {
            runner.withParent(parent)
                    .run(child -> assertThat(child).hasNotFailed().hasSingleBean(LeaderElections.class));
            assertThat(parent.getBean(LeaderElections.class).isStarted()).isTrue();
        });
    }

    @Test
    void rowLocksElectNoLeaderBecauseTheyEndWithTheirSession() {
        runner.withPropertyValues("rowlock.strategy=row-lock", "rowlock.leader.roles.a.enabled=true")
                .run(context -> {
                    assertThat(context).hasSingleBean(LeaderElection.class);
                    LeaderElections elections =
                            new LeaderElections(context.getBean(RowlockClient.class), event -> {}, null);
                    assertThatThrownBy(() -> elections.of("a"))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("\"row-lock\"");
                });
    }

    @Test
    void defaultsAreTheDocumentedOnes() {
        runner.withPropertyValues("rowlock.leader.roles.a.enabled=true")
                .run(context -> assertThat(context.getBean(RowlockProperties.class)
                                .leader()
                                .roles()
                                .get("a"))
                        .isEqualTo(new RoleProperties(Duration.ofSeconds(5), Duration.ofSeconds(1), true)));
    }

    @Configuration(proxyBeanMethods = false)
    static class OwnElections {
        @Bean
        LeaderElections ownElections(RowlockClient client) {
            return new LeaderElections(client, event -> {}, null);
        }
    }

    /** In the default phase, and there before the elections. */
    static class Stopping implements SmartLifecycle {
        LeaderElections elections;
        Boolean soughtMeanwhile;

        @Override
        public void start() {}

        @Override
        public void stop() {
            soughtMeanwhile = elections.isStarted();
        }

        @Override
        public boolean isRunning() {
            return soughtMeanwhile == null;
        }
    }

    static class Listening {
        final List<LeadershipEvent> heard = new CopyOnWriteArrayList<>();
        private final LeaderElection election;

        Listening(LeaderElection election) {
            this.election = election;
        }

        @EventListener
        public void onEvent(LeadershipEvent event) {
            assertThat(event.role()).isEqualTo(election.role());
            heard.add(event);
        }
    }

    static class Annotated {
        int calls;

        @LeaderOnly("plain")
        public @Nullable String text() {
            calls++;
            return "text";
        }

        @LeaderOnly("plain")
        public Optional<String> optional() {
            calls++;
            return Optional.of("text");
        }

        @LeaderOnly("${role}")
        public CompletableFuture<String> future() {
            calls++;
            return CompletableFuture.completedFuture("text");
        }

        @LeaderOnly("plain")
        public void nothing() {
            calls++;
        }
    }

    static class Primitive {
        @LeaderOnly("a")
        public int number() {
            return 1;
        }
    }

    static class Private {
        @SuppressWarnings("unused")
        @LeaderOnly("a")
        private void hidden() {}
    }

    static class Static {
        @LeaderOnly("a")
        static void shared() {}
    }

    static class Final {
        @LeaderOnly("a")
        public final void fixed() {}
    }

    static class Reactive {
        @LeaderOnly("a")
        public Mono<String> later() {
            return Mono.empty();
        }
    }

    @Aspect
    static class LedAspect {
        @LeaderOnly("a")
        public void run() {}
    }

    @Aspect
    static class LockedAspect {
        @OncePerCluster
        public void run() {}
    }

    static class ReturnsCallable {
        @LeaderOnly("a")
        public Callable<String> later() {
            return () -> "";
        }
    }

    static class ReturnsTasks {
        @LeaderOnly("a")
        public List<WebAsyncTask<String>> later() {
            return List.of();
        }
    }

    static class NeverNull {
        @LeaderOnly("a")
        public String text() {
            return "";
        }
    }

    static class Blank {
        @LeaderOnly(" ")
        public void unnamed() {}
    }

    static class Unresolved {
        @LeaderOnly("${nowhere}")
        public void lost() {}
    }

    static class TooLong {
        @LeaderOnly(
                "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                        + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
                        + "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")
        public void longest() {}
    }
}
