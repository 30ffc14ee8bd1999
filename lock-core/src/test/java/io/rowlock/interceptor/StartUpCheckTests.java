package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.mockito.BDDMockito.willAnswer;
import static org.mockito.BDDMockito.willThrow;
import static org.mockito.Mockito.spy;

import io.rowlock.LockClient;
import io.rowlock.LockStoreException;
import io.rowlock.OnLost;
import io.rowlock.annotation.DistributedLock;
import io.rowlock.annotation.DistributedSemaphore;
import io.rowlock.annotation.InvalidLockAnnotationException;
import io.rowlock.annotation.OnBusy;
import io.rowlock.annotation.PackagePrivateMethod;
import io.rowlock.annotation.ReadLock;
import io.rowlock.annotation.WriteLock;
import io.rowlock.client.RowlockClient;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderOnly;
import io.rowlock.store.memory.InMemoryLockStore;
import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import java.lang.annotation.Repeatable;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import net.bytebuddy.ByteBuddy;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.BeanNameAware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.context.annotation.Scope;
import org.springframework.context.annotation.ScopedProxyMode;
import org.springframework.core.annotation.AliasFor;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.config.TaskManagementConfigUtils;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.WebAsyncTask;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;
import reactor.core.publisher.Mono;

@SuppressWarnings("unused") // fallbacks and other methods that are called by reflection, or must not be
class StartUpCheckTests {
    private static final String REMEDY = "return CompletableFuture";
    private static final String LONG = "0123456789012345678901234567890123456789012345678901234567890123";
    private static final String NAME_256 = LONG + LONG + LONG + LONG;

    @Test
    void neitherNameNorKeyIsRefused() {
        refused(Nothing.class, "Nothing.run(String)", "@DistributedLock", "neither a name nor a key");
        refused(EmptyPlaceholder.class, "EmptyPlaceholder.run()", "neither a name nor a key");
    }

    @Test
    void keyThatIsNoExpressionIsRefused() {
        refused(BadKey.class, "BadKey.run(String)", "Expression [#text.]");
    }

    @Test
    void nameThatLooksLikeAnExpressionIsRefused() {
        refused(
                ExpressionInName.class,
                "ExpressionInName.run(String)",
                "\"order:#orderId\" is a literal",
                "write the expression into key",
                "key = \"'order:#orderId'\" to mean that text literally");
        for (Class<?> other :
                List.of(ExpressionAsName.class, TemplateInName.class, BeanInName.class, NameAndKey.class)) {
            refused(other, "is a literal, but looks like an expression");
        }
    }

    @Test
    void nameWithSignsThatAreNoExpressionIsAccepted() {
        try (GuardedContext context = new GuardedContext(LiteralNames.class)) {
            LiteralNames names = context.bean(LiteralNames.class);
            names.mail();
            names.number();
            names.literal();
            assertThat(context.client.log)
                    .containsExactly(
                            "lock mail@host.example",
                            "release",
                            "lock issue #12",
                            "release",
                            "lock C#sharp",
                            "release");
        }
    }

    @Test
    void unknownVariableIsRefused() {
        refused(
                UnknownVariable.class,
                "UnknownVariable.run(String)",
                "#ordreId",
                "known parameters: #orderId (or #p0)");
        refused(UnknownInside.class, "#other");
        refused(UnknownPosition.class, "#p1", "known parameters: #text");
        refused(UnknownInSelection.class, "#other");
    }

    @Test
    void argumentWithoutItsSignIsRefused() {
        refused(NoSign.class, "reads \"orderId\"", "write \"#orderId\"", "known parameters: #orderId (or #p0)");
        for (Class<?> inside : List.of(NoSignBehind.class, NoSignInList.class, NoSignInCall.class)) {
            refused(inside, "reads \"orderId\"", "write \"#orderId\"");
        }
        assertThatNoException().isThrownBy(() -> new GuardedContext(NamesOfElements.class).close());
    }

    @Test
    void parameterThatIsCalledAsTheCallIsRefused() {
        refused(ParameterRoot.class, "uses #root", "not the parameter of that name", "write #p1");
        refused(ParameterRootAlone.class, "uses #root", "write #p0");
        refused(ParameterRootLikeCall.class, "uses #root", "write #p0");
        refused(NoPropertyOfCall.class, "reads the property \"argz\"");
        assertThatNoException().isThrownBy(() -> new GuardedContext(CallRoot.class).close());
    }

    static class ParameterRoot {
        @DistributedLock(name = "node", key = "#root.id")
        public void move(String where, Order root) {}
    }

    static class ParameterRootAlone {
        @DistributedLock(name = "node", key = "#root")
        public void move(String root) {}
    }

    static class ParameterRootLikeCall {
        @DistributedLock(name = "node", key = "#root.target")
        public void move(HasTarget root) {}
    }

    record HasTarget(String target) {}

    static class NoPropertyOfCall {
        @DistributedLock(name = "node", key = "#root.argz[0]")
        public void move(String where) {}
    }

    static class CallRoot {
        @DistributedLock(name = "node", key = "#root.methodName")
        public void stay() {}

        @DistributedLock(name = "node", key = "#root.args[0] + #root.target")
        public void move(String where, Order root) {}
    }

    @Test
    void unknownPropertyIsRefusedWhereTheDeclaredTypeDecides() {
        refused(UnknownProperty.class, "\"#order.idd\"", "\"idd\"", "Order does not have");
        refused(UnknownPropertyInside.class, "\"idd\"", "Order does not have");
        assertThatNoException().isThrownBy(() -> new GuardedContext(KnownProperties.class).close());
    }

    @Test
    void lifeCycleMethodIsRefused() {
        refused(AtStart.class, "AtStart.run()", "no proxy can intercept", "life-cycle method");
        refused(AtEnd.class, "AtEnd.run()", "life-cycle method");
        refused(Initializing.class, "Initializing.afterPropertiesSet()", "life-cycle method");
        refused(Disposable.class, "Disposable.destroy()", "life-cycle method");
        refused(NameAware.class, "NameAware.setBeanName(String)", "life-cycle method");
        refused(Wired.class, "Wired.wire(List)", "life-cycle method");
        refused(BeanMethod.class, "BeanMethod.text()", "@Bean method");
    }

    @Test
    void lifeCycleMethodOfADefinitionIsRefused() {
        refused(DefinedStart.class, "Good.run()", "life-cycle method");
        refused(DefinedEnd.class, "Good.run()", "life-cycle method");
        refused(InferredEnd.class, "Closing.close()", "life-cycle method");
    }

    @Test
    void resultWhoseWorkIsDoneLaterIsRefused() {
        refused(ReturnsStream.class, "ReturnsStream.run()", "java.util.stream.Stream", "after the lock was released");
        refused(ReturnsIterator.class, "java.util.Iterator");
        refused(ReturnsEmitter.class, "SseEmitter");
        refused(ReturnsBody.class, "StreamingResponseBody");
        refused(ReturnsBodyInside.class, "StreamingResponseBody");
        refused(ReturnsOwnCallable.class, "OwnCallable");
        refused(ReturnsCallable.class, "ReturnsCallable.run()", "java.util.concurrent.Callable", REMEDY);
        refused(ReturnsFuture.class, "ReturnsFuture.run()", "java.util.concurrent.Future", REMEDY);
        refused(ReturnsTask.class, "ReturnsTask.run()", "WebAsyncTask", REMEDY);
        refused(ReturnsDeferred.class, "ReturnsDeferred.run()", "DeferredResult", REMEDY);
        refused(ReturnsFutures.class, "ReturnsFutures.run()", "java.util.concurrent.Future", REMEDY);
        refused(ReturnsStages.class, "ReturnsStages.run()", "CompletableFuture", REMEDY);
        refused(ReturnsMonoInside.class, "ReturnsMonoInside.run()", "Mono", REMEDY);
    }

    @Test
    void workOfTheElementsOfAnArrayIsSeen() {
        refused(ReturnsFutureArray.class, "ReturnsFutureArray.run()", "java.util.concurrent.Future[]", REMEDY);
        refused(ReturnsStageArray.class, "java.util.concurrent.CompletableFuture[][]", REMEDY);
        refused(ReturnsStreamArray.class, "java.util.stream.Stream[]", REMEDY);
        refused(ReturnsMonoArray.class, "reactor.core.publisher.Mono[]", REMEDY);
        refused(ReturnsArraysInside.class, "java.util.concurrent.Future[]", REMEDY);
        refused(ReturnsArrayOfLists.class, "java.util.concurrent.Future", REMEDY);
        refused(LedArray.class, "LedArray.run()", "after the call", "java.util.concurrent.CompletableFuture[]");
        assertThatNoException().isThrownBy(() -> new GuardedContext(ReturnsOtherArrays.class).close());
    }

    @Test
    void workOfATypeThatASubclassGivesIsSeen() {
        refused(InheritsFutures.class, "InheritsFutures.run()", "java.util.concurrent.Future", REMEDY);
        refused(InheritsLedFutures.class, "after the call", "java.util.concurrent.Future");
        assertThatNoException().isThrownBy(() -> new GuardedContext(InheritsTexts.class).close());
    }

    /** Without kotlinx-coroutines-reactor no adapter knows them. */
    @ParameterizedTest
    @ValueSource(strings = {"kotlinx.coroutines.flow.Flow", "kotlinx.coroutines.Job", "kotlin.sequences.Sequence"})
    void typesOfKotlinWhoseWorkIsDoneLaterAreKnown(String name) {
        Class<?> type = new ByteBuddy()
                .makeInterface()
                .name(name)
                .make()
                .load(getClass().getClassLoader())
                .getLoaded();
        assertThat(ResultTypes.isUnseen(type)).isTrue();
    }

    @Test
    void skippingAResultThatMustNotBeNullIsRefused() {
        refused(SkipText.class, "SkipText.run()", "SKIP", "java.lang.String");
        assertThatNoException().isThrownBy(() -> new GuardedContext(SkipNullableText.class).close());
    }

    @Test
    void thrownLossOfAFutureThatCannotBeReplacedIsRefused() {
        refused(ThrownByOwnFuture.class, "ThrownByOwnFuture.run()", "onLost = THROW", "OwnFuture");
    }

    @Test
    void interruptOfAnAsynchronousMethodIsRefused() {
        for (Class<?> asynchronous : List.of(InterruptedStage.class, InterruptedMono.class)) {
            refused(asynchronous, asynchronous.getSimpleName() + ".run()", "onLost = INTERRUPT", "no thread");
        }
    }

    @Test
    void badDurationsAreRefused() {
        refused(BadTtl.class, "BadTtl.run()", "ttl", "\"soon\"", "30s");
        refused(ZeroTtl.class, "ZeroTtl.run()", "ttl must be positive, but is 0s");
        refused(NegativeWait.class, "NegativeWait.run()", "waitTime must not be negative", "-1s");
        refused(LongHold.class, "LongHold.run()", "holdAtLeast", "limit");
    }

    @Test
    void badPermitsAreRefused() {
        refused(NoPermits.class, "NoPermits.run()", "permits must be 1 to 1000, but are 0");
        refused(WordyPermits.class, "WordyPermits.run()", "permits \"five\" is not a number from 1 to 1000");
    }

    static class NoPermits {
        @DistributedSemaphore(name = "x", permits = "0")
        public void run() {}
    }

    static class WordyPermits {
        @DistributedSemaphore(name = "x", permits = "five")
        public void run() {}
    }

    @Test
    void unresolvedPlaceholderIsRefused() {
        refused(Unresolved.class, "Unresolved.run()", "${missing}");
    }

    @Test
    void tooLongNameIsRefused() {
        refused(LongName.class, "LongName.run()", "255", "256");
        refused(LongNameWithKey.class, "LongNameWithKey.run(String)", "255", "257");
    }

    @Test
    void badFallbackIsRefused() {
        refused(NoFallback.class, "NoFallback.run(int)", "\"gone\" does not exist", "gone(int)");
        refused(WrongReturn.class, "WrongReturn.run()", "\"busy\"", "java.lang.Object", "java.lang.String");
        refused(SelfFallback.class, "SelfFallback.run()", "\"run\" has a lock of its own");
        refused(LockedFallback.class, "LockedFallback.run()", "\"busy\" has a lock of its own");
        refused(GuardedFallback.class, "GuardedFallback.run()", "\"busy\" has a lock of its own or of its class");
        refused(FallbackAndSkip.class, "FallbackAndSkip.run()", "SKIP", "\"busy\"");
    }

    @Test
    void skippingAPrimitiveIsRefused() {
        refused(SkipPrimitive.class, "SkipPrimitive.run()", "SKIP", "\"long\"");
    }

    @Test
    void twoLockAnnotationsAreRefused() {
        refused(Two.class, "Two.run()", "more than one", "@ReadLock, @WriteLock");
        refused(TwoOnClass.class, "TwoOnClass.run()", "more than one");
        refused(Repeated.class, "Repeated.run()", "more than one");
    }

    @Test
    void methodThatNoProxyCanInterceptIsRefused() {
        refused(PrivateMethod.class, "PrivateMethod.run()", "no proxy can intercept", "private");
        refused(StaticMethod.class, "StaticMethod.run()", "no proxy can intercept", "static");
        refused(FinalMethod.class, "FinalMethod.run()", "no proxy can intercept", "final");
        refused(InheritedFinal.class, "InheritedFinal.run()", "no proxy can intercept", "final");
        refused(FinalInClass.class, "FinalInClass.run()", "no proxy can intercept", "final");
        refused(FinalClass.class, "FinalClass.run()", "no proxy can intercept", "class is final");
        refused(OfAnotherPackage.class, "PackagePrivateMethod", "visible only in the package of");
    }

    @Test
    void finalClassWhoseProxyWouldBeASubclassIsRefused() {
        refused(
                FinalOfInterface.class,
                new Class<?>[] {ProxiesOfClasses.class},
                "FinalOfInterface.call()",
                "no proxy can intercept",
                "class is final");
        refused(FinalPreserved.class, "FinalOfInterface.call()", "class is final");
    }

    @Test
    void finalClassThatIsProxiedByItsInterfacesIsAccepted() {
        assertThatNoException().isThrownBy(() -> new GuardedContext(FinalOfInterface.class).close());
        assertThatNoException()
                .isThrownBy(() -> new GuardedContext(ProxiesOfClasses.class, FinalExposed.class).close());
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement(proxyTargetClass = true)
    static class ProxiesOfClasses {}

    static final class FinalOfInterface implements Callable<String> {
        @Override
        @DistributedLock("final")
        public String call() {
            return "called";
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FinalPreserved {
        @Bean
        @Proxyable(ProxyType.TARGET_CLASS)
        Callable<String> preserved() {
            return new FinalOfInterface();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class FinalExposed {
        @Bean
        @Proxyable(ProxyType.INTERFACES)
        Callable<String> exposed() {
            return new FinalOfInterface();
        }
    }

    @Test
    void productOfAFactoryBeanIsChecked() {
        refused(Factory.class, "PrivateMethod.run()", "private");
    }

    @Test
    void methodOutsideOfTheInterfacesOfAJdkProxyIsRefused() {
        refused(NotOnInterface.class, "NotOnInterface.other()", "none of them has the method");
    }

    @Test
    void whatAJdkProxyCanInterceptIsAccepted() {
        assertThatNoException().isThrownBy(() -> new GuardedContext(FinalOnInterface.class).close());
    }

    @Test
    void lazyBeanIsCheckedWhenItIsMade() {
        try (GuardedContext context = new GuardedContext(LazyBean.class)) {
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> context.bean(LazyBean.class))
                    .havingRootCause()
                    .isInstanceOf(InvalidLockAnnotationException.class)
                    .withMessageContaining("LazyBean.run()");
        }
    }

    @Test
    void beanThatIsMadeLaterIsRefusedEachTime() {
        try (GuardedContext context = new GuardedContext(LazyUnknown.class, Validation.class)) {
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(Exception.class)
                        .isThrownBy(() -> context.bean(LazyUnknown.class))
                        .havingRootCause()
                        .withMessageContaining("no lock strategy \"paper\"");
            }
        }
    }

    @Lazy
    static class LazyUnknown extends UnknownStrategy {}

    @Test
    void leaderThatIsMadeWhileNoServerAnswersStandsWhenItIsMadeAgain() {
        try (GuardedContext context = new GuardedContext(LazyLeader.class, Elections.class)) {
            LeaderElections elections = context.bean(LeaderElections.class);
            willThrow(new LockStoreException("no answer", null))
                    .willCallRealMethod()
                    .given(elections)
                    .of("role");
            assertThatExceptionOfType(Exception.class)
                    .isThrownBy(() -> context.bean(LazyLeader.class))
                    .havingRootCause()
                    .withMessage("no answer");
            assertThat(elections.all()).isEmpty();
            context.bean(LazyLeader.class);
            assertThat(elections.all()).hasSize(1);
        }
    }

    @Test
    void beanThatIsMadeWhileAnotherThreadIsRefusedTheSameIsRefused() {
        try (GuardedContext context = new GuardedContext(LeaderEachTime.class, Elections.class)) {
            AtomicReference<Throwable> ofOther = new AtomicReference<>();
            willAnswer(first -> {
                        ofOther.set(catchThrowable(
                                () -> CompletableFuture.supplyAsync(() -> context.bean(LeaderEachTime.class))
                                        .get(30, TimeUnit.SECONDS)));
                        throw new LockStoreException("no answer", null);
                    })
                    .willThrow(new LockStoreException("no answer either", null))
                    .given(context.bean(LeaderElections.class))
                    .of("role");
            assertThatExceptionOfType(Exception.class).isThrownBy(() -> context.bean(LeaderEachTime.class));
            assertThat(ofOther.get()).hasRootCauseMessage("no answer either");
        }
    }

    @Scope("prototype")
    static class LeaderEachTime {
        @LeaderOnly("role")
        public void run() {}
    }

    @Lazy
    static class LazyLeader {
        @LeaderOnly("role")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Elections {
        @Bean
        LeaderElections elections() {
            return spy(new LeaderElections(Validation.client(), event -> {}, null));
        }
    }

    /** The aspect is inside of the proxy. */
    @Test
    void wovenAsyncUnderALockOfAProxyIsRefused() {
        for (Class<?> asynchronous : List.of(AsyncMethod.class, AsyncClass.class, AsyncLeader.class)) {
            refused(
                    asynchronous,
                    new Class<?>[] {WovenAsync.class, Elections.class},
                    asynchronous.getSimpleName() + ".run()",
                    "@Async is woven");
        }
        assertThatNoException().isThrownBy(() -> new GuardedContext(AsyncFuture.class, WovenAsync.class).close());
        assertThatNoException().isThrownBy(() -> new GuardedContext(AsyncMethod.class).close());
    }

    @Configuration(proxyBeanMethods = false)
    static class WovenAsync {
        @Bean(TaskManagementConfigUtils.ASYNC_EXECUTION_ASPECT_BEAN_NAME)
        Object aspect() {
            return new Object();
        }
    }

    static class AsyncMethod {
        @Async
        @DistributedLock("x")
        public void run() {}
    }

    @Async
    static class AsyncClass {
        @DistributedLock("x")
        public void run() {}
    }

    static class AsyncLeader {
        @Async
        @LeaderOnly("role")
        public void run() {}
    }

    static class AsyncFuture {
        @Async
        @DistributedLock("x")
        public CompletableFuture<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    @Test
    void scopedBeanIsNotMadeByTheCheck() {
        Scoped.made = 0;
        try (GuardedContext context = new GuardedContext(Scoped.class)) {
            assertThat(Scoped.made).isZero();
            context.bean(Scoped.class).run();
            assertThat(context.client.log).containsExactly("lock x", "release");
        }
    }

    @Test
    void clientIsAskedWhatItCanServe() {
        refused(
                UnknownStrategy.class,
                new Class<?>[] {Validation.class},
                "UnknownStrategy.run()",
                "no lock strategy \"paper\"");
    }

    @Test
    void clientIsNotMadeBeforeTheFirstCall() {
        try (var context = new AnnotationConfigApplicationContext()) {
            RecordingLockClient client = new RecordingLockClient();
            int[] made = {0};
            context.registerBean(
                    LockClient.class,
                    () -> {
                        made[0]++;
                        return client;
                    },
                    definition -> definition.setLazyInit(true));
            context.register(GuardedContext.Locks.class, Good.class);
            context.refresh();
            assertThat(made[0]).isZero();
            context.getBean(Good.class).run();
            assertThat(made[0]).isOne();
        }
    }

    private static void refused(Class<?> component, String... parts) {
        refused(component, new Class<?>[0], parts);
    }

    private static void refused(Class<?> component, Class<?>[] others, String... parts) {
        Class<?>[] all = Stream.concat(Stream.of(others), Stream.of(component)).toArray(Class<?>[]::new);
        assertThatExceptionOfType(Exception.class)
                .isThrownBy(() -> new GuardedContext(all).close())
                .satisfies(thrown -> {
                    Throwable found = thrown;
                    while (found != null && !(found instanceof InvalidLockAnnotationException)) {
                        found = found.getCause();
                    }
                    assertThat(found).isNotNull();
                    assertThat(found).hasMessageContainingAll(parts);
                });
    }

    static class Good {
        @DistributedLock("x")
        public void run() {}
    }

    static class Nothing {
        @DistributedLock(ttl = "30s")
        public void run(String text) {}
    }

    static class EmptyPlaceholder {
        @DistributedLock("${missing:}")
        public void run() {}
    }

    static class Unresolved {
        @DistributedLock("${missing}")
        public void run() {}
    }

    static class BadKey {
        @DistributedLock(key = "#text.")
        public void run(String text) {}
    }

    static class ExpressionInName {
        @DistributedLock("order:#orderId")
        public void run(String orderId) {}
    }

    static class ExpressionAsName {
        @WriteLock("#order.id")
        public void run(Order order) {}
    }

    static class TemplateInName {
        @ReadLock("a-#{#p0}-b")
        public void run(String text) {}
    }

    static class BeanInName {
        @DistributedLock("order:@tenant.id()")
        public void run() {}
    }

    static class NameAndKey {
        @DistributedLock(name = "order:#p0", key = "#p0 + 1")
        public void run(String text) {}
    }

    static class LiteralNames {
        @DistributedLock("mail@host.example")
        public void mail() {}

        @DistributedLock("issue #12")
        public void number() {}

        @DistributedLock(key = "'C#sharp'")
        public void literal() {}
    }

    record Customer(String city) {}

    static final class Order {
        public final long number = 1;

        public String getId() {
            return "1";
        }

        public boolean isPaid() {
            return true;
        }

        public Customer getCustomer() {
            return new Customer("x");
        }

        public Map<String, String> getNotes() {
            return Map.of();
        }
    }

    static class UnknownVariable {
        @DistributedLock(name = "order", key = "#ordreId")
        public void run(String orderId) {}
    }

    static class UnknownInside {
        @DistributedLock(key = "#text.concat(#other)")
        public void run(String text) {}
    }

    static class UnknownInSelection {
        @DistributedLock(key = "#texts.?[#this != #other]")
        public void run(List<String> texts) {}
    }

    static class NoSign {
        @DistributedLock(name = "order", key = "orderId")
        public void run(String orderId) {}
    }

    static class NoSignBehind {
        @DistributedLock(key = "#tenant + ':' + orderId")
        public void run(String tenant, String orderId) {}
    }

    static class NoSignInList {
        @DistributedLock(key = "{#tenant, orderId}")
        public void run(String tenant, String orderId) {}
    }

    static class NoSignInCall {
        @DistributedLock(key = "T(String).valueOf(#tenant).concat('x') + T(String).valueOf(orderId)")
        public void run(String tenant, String orderId) {}
    }

    static class NamesOfElements {
        @DistributedLock(
                key =
                        "#orders.![name] + #orders.?[name == 'x'].size() + {name: 1}.size() + #names[name] + #root.methodName")
        public void elements(List<Thread> orders, Map<String, String> names) {}

        @DistributedLock(key = "methodName + #id")
        public void ofTheCall(String id) {}
    }

    static class UnknownPosition {
        @DistributedLock(key = "#p0 + #p1")
        public void run(String text) {}
    }

    static class UnknownProperty {
        @DistributedLock(key = "#order.idd")
        public void run(Order order) {}
    }

    static class UnknownPropertyInside {
        @DistributedLock(key = "'a' + (#p0.idd + #order.id)")
        public void run(Order order) {}
    }

    static class KnownProperties {
        @DistributedLock(key = "#order.id + #order.number + #a0.paid + #order?.customer.city + #order.notes.anything")
        public void run(Order order) {}

        @DistributedLock(key = "#any.thing + #api.thing + #map.thing")
        public void open(Object any, Api api, Map<String, String> map) {}

        @DistributedLock(
                key =
                        "#orders.![#this.id] + #root.methodName + #map['a'] + #map[a] + methodName + #orders.?[paid].![id] + #order.customer.deeper")
        public void inside(List<Order> orders, Map<String, String> map, Order order) {}
    }

    static class OwnFuture extends CompletableFuture<String> {}

    static class ThrownByOwnFuture {
        @DistributedLock(name = "x", onLost = OnLost.THROW)
        public OwnFuture run() {
            return new OwnFuture();
        }
    }

    static class AtStart {
        @PostConstruct
        @DistributedLock("x")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class DefinedStart {
        @Bean(initMethod = "run")
        Good good() {
            return new Good();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class DefinedEnd {
        @Bean(destroyMethod = "run")
        Good good() {
            return new Good();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class InferredEnd {
        @Bean
        Closing closing() {
            return new Closing();
        }
    }

    static class Closing {
        @DistributedLock("x")
        public void close() {}
    }

    static class AtEnd {
        @PreDestroy
        @DistributedLock("x")
        public void run() {}
    }

    static class Initializing implements InitializingBean {
        @Override
        @DistributedLock("x")
        public void afterPropertiesSet() {}
    }

    static class Disposable implements DisposableBean {
        @Override
        @DistributedLock("x")
        public void destroy() {}
    }

    static class NameAware implements BeanNameAware {
        @Override
        @DistributedLock("x")
        public void setBeanName(String name) {}
    }

    static class Wired {
        @Autowired(required = false)
        @DistributedLock("x")
        public void wire(List<Api> apis) {}
    }

    @Configuration
    static class BeanMethod {
        @Bean
        @DistributedLock("x")
        String text() {
            return "";
        }
    }

    static class ReturnsStream {
        @DistributedLock("x")
        public Stream<String> run() {
            return Stream.of();
        }
    }

    static class ReturnsIterator {
        @DistributedLock("x")
        public Iterator<String> run() {
            return List.<String>of().iterator();
        }
    }

    static class ReturnsEmitter {
        @DistributedLock("x")
        public SseEmitter run() {
            return new SseEmitter();
        }
    }

    static class ReturnsBody {
        @DistributedLock("x")
        public StreamingResponseBody run() {
            return output -> {};
        }
    }

    static class ReturnsBodyInside {
        @DistributedLock("x")
        public ResponseEntity<StreamingResponseBody> run() {
            return ResponseEntity.ok(output -> {});
        }
    }

    static class OwnCallable implements Callable<String> {
        @Override
        public String call() {
            return "";
        }
    }

    static class ReturnsCallable {
        @DistributedLock("x")
        public Callable<String> run() {
            return () -> "";
        }
    }

    static class ReturnsFuture {
        @DistributedLock("x")
        public Future<String> run() {
            return new CompletableFuture<>();
        }
    }

    static class ReturnsTask {
        @DistributedLock("x")
        public WebAsyncTask<String> run() {
            return new WebAsyncTask<>(() -> "");
        }
    }

    static class ReturnsDeferred {
        @DistributedLock("x")
        public DeferredResult<String> run() {
            return new DeferredResult<>();
        }
    }

    static class ReturnsFutures {
        @DistributedLock("x")
        public List<? extends Future<String>> run() {
            return List.of();
        }
    }

    static class ReturnsStages {
        @DistributedLock("x")
        public List<CompletableFuture<String>> run() {
            return List.of();
        }
    }

    @SuppressWarnings("unchecked")
    static class ReturnsFutureArray {
        @DistributedLock("x")
        public Future<String>[] run() {
            return (Future<String>[]) new Future<?>[0];
        }
    }

    @SuppressWarnings("unchecked")
    static class ReturnsStageArray {
        @DistributedLock("x")
        public CompletableFuture<String>[][] run() {
            return (CompletableFuture<String>[][]) new CompletableFuture<?>[0][];
        }
    }

    @SuppressWarnings("unchecked")
    static class ReturnsStreamArray {
        @DistributedLock("x")
        public Stream<String>[] run() {
            return (Stream<String>[]) new Stream<?>[0];
        }
    }

    @SuppressWarnings("unchecked")
    static class ReturnsMonoArray {
        @DistributedLock("x")
        public Mono<String>[] run() {
            return (Mono<String>[]) new Mono<?>[0];
        }
    }

    static class ReturnsArraysInside {
        @DistributedLock("x")
        public List<Future<String>[]> run() {
            return List.of();
        }
    }

    @SuppressWarnings("unchecked")
    static class ReturnsArrayOfLists {
        @DistributedLock("x")
        public List<Future<String>>[] run() {
            return (List<Future<String>>[]) new List<?>[0];
        }
    }

    @SuppressWarnings("unchecked")
    static class LedArray {
        @LeaderOnly("role")
        public CompletableFuture<String>[] run() {
            return (CompletableFuture<String>[]) new CompletableFuture<?>[0];
        }
    }

    static class ReturnsOtherArrays {
        @DistributedLock("x")
        public long[][] numbers() {
            return new long[0][];
        }

        @DistributedLock("x")
        public <T extends Comparable<T>> List<T[]> parts() {
            return List.of();
        }
    }

    abstract static class Inherited<T> {
        @DistributedLock("x")
        public List<T> run() {
            return List.of();
        }
    }

    static class InheritsFutures extends Inherited<Future<String>> {}

    static class InheritsTexts extends Inherited<String> {}

    abstract static class LedInherited<T> {
        @LeaderOnly("role")
        public List<T> run() {
            return List.of();
        }
    }

    static class InheritsLedFutures extends LedInherited<Future<String>> {}

    static class ReturnsMonoInside {
        @DistributedLock("x")
        public ResponseEntity<Mono<String>> run() {
            return ResponseEntity.ok(Mono.empty());
        }
    }

    static class ReturnsOwnCallable {
        @DistributedLock("x")
        public OwnCallable run() {
            return new OwnCallable();
        }
    }

    static class SkipText {
        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public String run() {
            return "";
        }
    }

    static class SkipNullableText {
        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public @Nullable String run() {
            return null;
        }
    }

    static class BadTtl {
        @DistributedLock(name = "x", ttl = "soon")
        public void run() {}
    }

    static class ZeroTtl {
        @DistributedLock(name = "x", ttl = "0s")
        public void run() {}
    }

    static class NegativeWait {
        @DistributedLock(name = "x", waitTime = "-1s")
        public void run() {}
    }

    static class InterruptedStage {
        @DistributedLock(name = "x", onLost = OnLost.INTERRUPT)
        public CompletionStage<String> run() {
            return CompletableFuture.completedFuture("");
        }
    }

    static class InterruptedMono {
        @WriteLock(name = "x", onLost = OnLost.INTERRUPT)
        public Mono<String> run() {
            return Mono.empty();
        }
    }

    static class LongHold {
        @DistributedLock(name = "x", holdAtLeast = "36500d")
        public void run() {}
    }

    static class LongName {
        @DistributedLock(NAME_256)
        public void run() {}
    }

    static class LongNameWithKey {
        @DistributedLock(
                name = LONG + LONG + LONG + "012345678901234567890123456789012345678901234567890123456789012",
                key = "#p0")
        public void run(String text) {}
    }

    static class NoFallback {
        @DistributedLock(name = "x", fallback = "gone")
        public void run(int number) {}

        void gone(String text) {}
    }

    static class WrongReturn {
        @DistributedLock(name = "x", fallback = "busy")
        public String run() {
            return "";
        }

        Object busy() {
            return "";
        }
    }

    static class SelfFallback {
        @DistributedLock(name = "x", fallback = "run")
        public void run() {}
    }

    static class LockedFallback {
        @DistributedLock(name = "x", fallback = "busy")
        public void run() {}

        @DistributedLock("y")
        public void busy() {}
    }

    @DistributedLock("y")
    static class GuardedFallback {
        @DistributedLock(name = "x", fallback = "busy")
        public void run() {}

        public void busy() {}
    }

    static class FallbackAndSkip {
        @DistributedLock(name = "x", fallback = "busy", onBusy = OnBusy.SKIP)
        public void run() {}

        void busy() {}
    }

    static class SkipPrimitive {
        @DistributedLock(name = "x", onBusy = OnBusy.SKIP)
        public long run() {
            return 0;
        }
    }

    static class Two {
        @ReadLock("x")
        @WriteLock("x")
        public void run() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Repeatable(RepeatedLocks.class)
    @DistributedLock
    @interface RepeatedLock {
        @AliasFor(annotation = DistributedLock.class)
        String name();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface RepeatedLocks {
        RepeatedLock[] value();
    }

    static class Repeated {
        @RepeatedLock(name = "x")
        @RepeatedLock(name = "y")
        public void run() {}
    }

    static class OfAnotherPackage extends PackagePrivateMethod {}

    @ReadLock("x")
    @WriteLock("x")
    static class TwoOnClass {
        public void run() {}
    }

    static class PrivateMethod {
        @DistributedLock("x")
        private void run() {}
    }

    static class StaticMethod {
        @DistributedLock("x")
        public static void run() {}
    }

    static class FinalMethod {
        @DistributedLock("x")
        public final void run() {}
    }

    static class InheritedFinal extends FinalMethod {}

    @DistributedLock("x")
    static class FinalInClass {
        public final void run() {}
    }

    static final class FinalClass {
        @DistributedLock("x")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Factory {
        @Bean
        FactoryBean<PrivateMethod> product() {
            return new FactoryBean<>() {
                @Override
                public PrivateMethod getObject() {
                    return new PrivateMethod();
                }

                @Override
                public Class<?> getObjectType() {
                    return PrivateMethod.class;
                }
            };
        }

        @Bean
        String user(PrivateMethod product) {
            return "user";
        }
    }

    interface Api {
        void run();
    }

    static class NotOnInterface implements Api {
        @Override
        public void run() {}

        @DistributedLock("x")
        public void other() {}
    }

    static final class FinalOnInterface implements Api {
        @Override
        @DistributedLock("x")
        public final void run() {}
    }

    @Lazy
    static class LazyBean {
        @DistributedLock("x")
        private void run() {}
    }

    @Scope(value = "prototype", proxyMode = ScopedProxyMode.TARGET_CLASS)
    static class Scoped {
        static int made;

        Scoped() {
            made++;
        }

        @DistributedLock("x")
        public void run() {}
    }

    static class UnknownStrategy {
        @DistributedLock(name = "x", strategy = "paper")
        public void run() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Validation {
        @Bean
        RowlockClient rowlockClient() {
            return client();
        }

        static RowlockClient client() {
            return RowlockClient.builder(new InMemoryLockStore()).build();
        }
    }
}
