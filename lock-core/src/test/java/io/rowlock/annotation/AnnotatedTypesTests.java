package io.rowlock.annotation;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.leader.LeaderOnly;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AnnotatedTypesTests {
    @ParameterizedTest
    @ValueSource(
            classes = {
                OnMethod.class,
                OnPrivateMethod.class,
                OnClass.class,
                OnInterface.class,
                MadeOfOne.class,
                Led.class,
                Once.class,
                OfSuperclass.class,
                OfInterface.class,
                OfSuperInterface.class,
                OfGenericInterface.class
            })
    void annotationIsFoundWhereverItStands(Class<?> type) {
        assertThat(AnnotatedTypes.contain(type)).isTrue();
        assertThat(AnnotatedTypes.contain(type)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(classes = {None.class, OtherAnnotations.class, String.class, ArrayList.class, Callable.class})
    void otherClassesHaveNone(Class<?> type) {
        assertThat(AnnotatedTypes.contain(type)).isFalse();
        assertThat(AnnotatedTypes.contain(type)).isFalse();
    }

    @Test
    void proxyHasTheAnnotationsOfItsInterfaces() {
        Object proxy = Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {OnInterface.class}, (self, method, arguments) -> null);
        assertThat(AnnotatedTypes.contain(proxy.getClass())).isTrue();
    }

    static class OnMethod {
        @DistributedLock("x")
        public void run() {}
    }

    static class OnPrivateMethod {
        @ReadLock("x")
        @SuppressWarnings("UnusedMethod")
        private void run() {}
    }

    @WriteLock("x")
    static class OnClass {
        public void run() {}
    }

    interface OnInterface {
        @DistributedSemaphore(name = "x", permits = "2")
        void run();
    }

    @Retention(RetentionPolicy.RUNTIME)
    @DistributedLock("x")
    @interface Guarded {}

    static class MadeOfOne {
        @Guarded
        public void run() {}
    }

    static class Led {
        @LeaderOnly("x")
        public void run() {}
    }

    static class Once {
        @OncePerCluster(name = "x", ttl = "1m")
        public void run() {}
    }

    static class OfSuperclass extends OnMethod {}

    static class OfInterface implements OnInterface {
        @Override
        public void run() {}
    }

    interface Below extends OnInterface {}

    abstract static class OfSuperInterface implements Below {}

    interface Generic<T> {
        @DistributedLock("x")
        void run(T value);
    }

    static class OfGenericInterface implements Generic<String> {
        @Override
        public void run(String value) {}
    }

    static class None {
        public void run() {}
    }

    @Deprecated
    static class OtherAnnotations {
        @Deprecated
        public void run() {}
    }
}
