package io.rowlock.interceptor;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.StringValueResolver;

/** Reads which methods of the beans of an application have an annotation of a lock or of a leader. Makes no bean. */
public final class DeclaredMethods {
    private final List<ProxiedMethod> readable;

    /**
     * @param beans the application's
     * @param placeholders resolves the ${…} of attributes
     */
    public DeclaredMethods(ConfigurableListableBeanFactory beans, StringValueResolver placeholders) {
        // Settings that win over annotations change neither a role nor that there is a lock
        this.readable = new GuardedMethods(placeholders, LockInterceptorSettings.DEFAULT, beans).readable(beans);
    }

    /** @return the roles of {@code @LeaderOnly} methods, but for those that stop the start when their bean is made */
    public Set<String> roles() {
        return readable.stream()
                .flatMap(method -> Stream.ofNullable(method.role()))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** @return how many methods have an annotation of a lock or of a leader that can work */
    public int count() {
        return readable.size();
    }
}
