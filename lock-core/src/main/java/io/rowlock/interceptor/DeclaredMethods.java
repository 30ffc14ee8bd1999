package io.rowlock.interceptor;

import java.util.Set;
import java.util.TreeSet;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.StringValueResolver;

/** Reads which methods of the beans of an application have an annotation of a lock or of a leader. Makes no bean. */
public final class DeclaredMethods {
    private final ConfigurableListableBeanFactory beans;
    private final StringValueResolver placeholders;
    private final LeaderOnlyAdvice leaders;

    /**
     * @param beans the application's
     * @param placeholders resolves the ${…} of attributes
     */
    public DeclaredMethods(ConfigurableListableBeanFactory beans, StringValueResolver placeholders) {
        this.beans = beans;
        this.placeholders = placeholders;
        this.leaders = new LeaderOnlyAdvice(placeholders, () -> {
            throw new IllegalStateException("No method is called");
        });
    }

    /** @return the roles of {@code @LeaderOnly} methods, but for those that stop the start when their bean is made */
    public Set<String> roles() {
        return new TreeSet<>(leaders.readable(beans));
    }

    /** @return how many methods have an annotation of a lock or of a leader that can work */
    public int count() {
        LockOverrides overrides = beans.getBeanProvider(LockOverrides.class).getIfAvailable(() -> LockOverrides.NONE);
        var locked = new GuardedMethods(placeholders, overrides, beans).readable(beans);
        return locked.size() + leaders.readable(beans).size();
    }
}
