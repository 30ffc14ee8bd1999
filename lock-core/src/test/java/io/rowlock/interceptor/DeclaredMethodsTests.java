package io.rowlock.interceptor;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;

class DeclaredMethodsTests {
    /** Roles are read before post-processors are there: a bean that is made then has no proxy, and nothing injected. */
    @Test
    void rolesAreReadWithoutMakingABean() {
        DefaultListableBeanFactory beans = new DefaultListableBeanFactory();
        beans.registerBeanDefinition("late", new RootBeanDefinition(Late.class));
        RootBeanDefinition missing = new RootBeanDefinition();
        missing.setBeanClassName("no.such.Type");
        missing.setLazyInit(true);
        beans.registerBeanDefinition("missing", missing);
        assertThat(new DeclaredMethods(beans, text -> text).roles()).isEmpty();
        assertThat(Late.MADE).hasValue(0);
    }

    /** Does not tell the type of its product before it has it. */
    static final class Late implements FactoryBean<Object> {
        static final AtomicInteger MADE = new AtomicInteger();

        Late() {
            MADE.incrementAndGet();
        }

        @Override
        public Object getObject() {
            return "product";
        }

        @Override
        public @Nullable Class<?> getObjectType() {
            return null;
        }
    }
}
