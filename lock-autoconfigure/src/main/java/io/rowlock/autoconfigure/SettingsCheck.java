package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.context.aot.AbstractAotProcessor;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;
import org.springframework.core.env.Environment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Looks at every property of {@code rowlock.*} as it was written, before any is bound: refuses what was removed and what binding
 * would misread or pass over, and warns of names that nobody reads.
 */
final class SettingsCheck implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {
    private static final Logger log = LoggerFactory.getLogger(SettingsCheck.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("rowlock");

    /** Names the servers of tests, and is read by them. */
    private static final ConfigurationPropertyName TESTS = ROOT.append("test");

    /** Goes to a driver, as it is. */
    private static final ConfigurationPropertyName DATA_SOURCE = ROOT.append("datasource");

    /** Without a prefix applications share their keys, which is the default. */
    private static final String MAY_BE_EMPTY = "rowlock.key-prefix";

    /** Properties that have no effect if a switch is off. */
    private static final Map<String, String> IDLE = Map.of(
            "rowlock.renewal.interval", "rowlock.renewal.enabled",
            "rowlock.redis.fence", "rowlock.fencing.transactional");

    /** Zero needs no unit. */
    private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

    private final Environment environment;
    private final KnownSettings known;

    /**
     * @param environment has the properties
     * @param known what there is to set
     */
    SettingsCheck(Environment environment, KnownSettings known) {
        this.environment = environment;
        this.known = known;
    }

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Not while an application is built ahead of time: what it will be started with is not known then. */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        if (!Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            Map<String, Written> written = written();
            written.forEach(this::check);
            IDLE.forEach((property, without) -> warnIfIdle(written, property, without));
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beanFactory) {
        // all is done
    }

    /**
     * A property as it applies.
     *
     * @param name its name
     * @param text its value, with its placeholders resolved where that is possible
     * @param variable whether it is a variable of the system's environment
     */
    private record Written(ConfigurationPropertyName name, String text, boolean variable) {}

    /** By their names, each from the first source that has it. */
    private Map<String, Written> written() {
        Map<String, Written> written = new TreeMap<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource names) {
                boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                names.stream()
                        .filter(ROOT::isAncestorOf)
                        .forEach(name -> add(written, name, source.getConfigurationProperty(name), variables));
            }
        }
        return written;
    }

    private void add(
            Map<String, Written> written,
            ConfigurationPropertyName name,
            @Nullable ConfigurationProperty property,
            boolean variable) {
        if (property != null) {
            String text = environment.resolvePlaceholders(String.valueOf(property.getValue()));
            written.putIfAbsent(nameOf(name, variable), new Written(name, text, variable));
        }
    }

    /** The name that documents have, if there is such a property. */
    private String nameOf(ConfigurationPropertyName name, boolean variable) {
        return known.find(name, variable).map(setting -> setting.like(name)).orElseGet(name::toString);
    }

    private void check(String name, Written written) {
        RemovedSetting.ALL.forEach(removed -> removed.refuse(name, written.text()));
        known.find(written.name(), written.variable())
                .ifPresentOrElse(setting -> check(name, written.text(), setting.type()), () -> warn(written.name()));
    }

    private void warnIfIdle(Map<String, Written> written, String property, String without) {
        if (written.containsKey(property) && !Switch.isOn(environment, without, true)) {
            log.warn("The property {} has no effect, because {} is false", property, without);
        }
    }

    private void warn(ConfigurationPropertyName unknown) {
        boolean elementOfList = unknown.isLastElementIndexed()
                && known.find(unknown.getParent(), false).isPresent();
        if (elementOfList || isOrIsIn(TESTS, unknown) || isOrIsIn(DATA_SOURCE, unknown)) {
            return;
        }
        log.warn(
                "The property {} is not known and has no effect{}",
                Printable.of(unknown.toString()),
                known.nearest(unknown)
                        .map(near -> ": did you mean %s?".formatted(Printable.of(near)))
                        .orElse(""));
    }

    private static boolean isOrIsIn(ConfigurationPropertyName group, ConfigurationPropertyName name) {
        return group.equals(name) || group.isAncestorOf(name);
    }

    private static void check(String name, String text, Class<?> type) {
        if (name.startsWith(DATA_SOURCE + ".")) {
            return;
        }
        if (text.contains("${")) {
            refuse(
                    name,
                    text,
                    "has a placeholder that is not resolved",
                    "Set what the placeholder names, or give it a default as in ${name:default}.");
        }
        if (text.isBlank() && !(text.isEmpty() && name.equals(MAY_BE_EMPTY))) {
            refuse(name, text, "is empty", "Give it a value, or remove it: then its default applies.");
        }
        boolean words = type == String.class || type.isEnum();
        if (words && !text.equals(text.strip())) {
            refuse(name, text, "begins or ends with a blank", "Remove the blank.");
        }
        if (type == boolean.class || type == Boolean.class) {
            boolean unused = Switch.isOn(name, text);
        }
        if (type == Duration.class && BARE_NUMBER.matcher(text.strip()).matches()) {
            refuse(name, text, "has no unit", "Give it a unit: ms, s, m, h or d, as in 30s.");
        }
    }

    private static void refuse(String name, String text, String what, String action) {
        throw new RowlockSetupException("The value \"%s\" of %s %s.".formatted(text, name, what), action, null);
    }
}
