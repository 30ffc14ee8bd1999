package io.rowlock.annotation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.Composed.Both;
import com.example.Composed.Guarded;
import com.example.Composed.GuardedAgain;
import com.example.Composed.GuardedTwice;
import com.example.Composed.Listed;
import io.rowlock.leader.LeaderOnly;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.OverridingClassLoader;

class AnnotatedTypesTests {
    @ParameterizedTest
    @ValueSource(
            classes = {
                OnMethod.class,
                OnPrivateMethod.class,
                OnClass.class,
                OnInterface.class,
                MadeOfOne.class,
                MadeOfAnother.class,
                TwoOfOne.class,
                ListOfThem.class,
                MadeOfTwo.class,
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
    @ValueSource(
            classes = {
                None.class,
                OtherAnnotations.class,
                OtherList.class,
                String.class,
                ArrayList.class,
                Callable.class
            })
    void otherClassesHaveNone(Class<?> type) {
        assertThat(AnnotatedTypes.contain(type)).isFalse();
        assertThat(AnnotatedTypes.contain(type)).isFalse();
    }

    @Test
    void classWithAnUnreadableAnnotationIsLookedAtFurther() throws Exception {
        ClassLoader withoutLevel = new OverridingClassLoader(getClass().getClassLoader()) {
            @Override
            protected boolean isEligibleForOverriding(String className) {
                return className.startsWith(AnnotatedTypesTests.class.getName());
            }

            @Override
            protected Class<?> loadClassForOverriding(String name) throws ClassNotFoundException {
                if (name.equals(Level.class.getName())) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClassForOverriding(name);
            }
        };
        Class<?> unreadable = withoutLevel.loadClass(Unreadable.class.getName());
        assertThatThrownBy(() -> unreadable.getDeclaredMethod("other").getDeclaredAnnotations())
                .isInstanceOf(NoClassDefFoundError.class);
        assertThat(AnnotatedTypes.contain(unreadable)).isTrue();
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

    static class MadeOfOne {
        @Guarded
        public void run() {}
    }

    static class MadeOfAnother {
        @GuardedAgain
        public void run() {}
    }

    static class TwoOfOne {
        @Guarded
        @Guarded
        public void run() {}
    }

    static class ListOfThem {
        @GuardedTwice({@Guarded, @Guarded})
        public void run() {}
    }

    static class MadeOfTwo {
        @Both
        public void run() {}
    }

    enum Level {
        HIGH
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Important {
        Level value();
    }

    static class Unreadable {
        @Important(Level.HIGH)
        public void other() {}
    }

    static class OtherList {
        @Listed(@Deprecated)
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
