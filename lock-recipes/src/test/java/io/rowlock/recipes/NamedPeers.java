package io.rowlock.recipes;

import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfigurationImportFilter;
import org.springframework.boot.autoconfigure.AutoConfigurationMetadata;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.Environment;

/** Leaves an application the peers that it names, as if no others were on the class path. */
final class NamedPeers implements AutoConfigurationImportFilter, EnvironmentAware {
    static final String PROPERTY = "recipes.peers";
    private static final List<String> PEERS = List.of(
            "com.alibaba.druid.",
            "com.baomidou.dynamic.",
            "com.baomidou.mybatisplus.",
            "net.ttddyy.observation.",
            "org.springframework.boot.batch.",
            "org.springframework.boot.data.jpa.",
            "org.springframework.boot.flyway.",
            "org.springframework.boot.hibernate.",
            "org.springframework.boot.liquibase.",
            "org.springframework.boot.quartz.",
            "org.springframework.modulith.");

    private final List<String> absent = new ArrayList<>(PEERS);

    @Override
    public void setEnvironment(Environment environment) {
        List<String> named = List.of(environment.getProperty(PROPERTY, String[].class, new String[0]));
        absent.removeAll(named);
        if (absent.size() + named.size() != PEERS.size()) {
            throw new IllegalArgumentException(named + " are not all of " + PEERS);
        }
    }

    @Override
    public boolean[] match(String[] classes, AutoConfigurationMetadata metadata) {
        boolean[] matches = new boolean[classes.length];
        for (int i = 0; i < classes.length; i++) {
            String each = classes[i];
            matches[i] = each == null || absent.stream().noneMatch(each::startsWith);
        }
        return matches;
    }
}
