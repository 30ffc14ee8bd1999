package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.BeanDefinitionRegistryPostProcessor;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
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
 *
 * @param environment has the properties
 * @param bound the records that they are bound to, by their prefixes
 */
record SettingsCheck(Environment environment, Map<String, Class<?>> bound)
        implements BeanDefinitionRegistryPostProcessor, PriorityOrdered {
    private static final Logger log = LoggerFactory.getLogger(SettingsCheck.class);

    private static final ConfigurationPropertyName ROOT = ConfigurationPropertyName.of("rowlock");

    /** Names the servers of tests, and is read by them. */
    private static final ConfigurationPropertyName TESTS = ROOT.append("test");

    /** Goes to a driver, as it is: a password may begin with a blank. */
    private static final ConfigurationPropertyName DATA_SOURCE = ROOT.append("datasource");

    /** Without a prefix applications share their keys, which is the default. */
    private static final String MAY_BE_EMPTY = "rowlock.key-prefix";

    /** Removed properties, or values of them, with what to do instead. Who sets one meant something by it. */
    private static final Map<String, String> REMOVED = Map.of(
            "rowlock.cluster.writers=many",
            "Locks need one writer: lead all nodes to one server of the cluster. The value \"one\" says that all nodes reach it.",
            "rowlock.log.mode=sync",
            "Set rowlock.log.mode to async, which never holds up a lock, or to off.",
            "rowlock.pool.shared",
            "Remove it: locks have a small pool of their own, made from the application's DataSource. Where that is not possible, set rowlock.datasource.url, rowlock.datasource.username, rowlock.datasource.password and rowlock.datasource.driver-class-name.",
            "rowlock.startup.report",
            "Remove it: annotated methods are not listed any more. The tag \"name\" of the meter rowlock.acquire shows the locks in use.");

    /** Zero needs no unit. */
    private static final Pattern BARE_NUMBER = Pattern.compile("[+-]?0*[1-9]\\d*");

    /** Holds anything, so that a binder asks it for names that are not set, too. */
    private static final ConfigurationPropertySource ANY = name -> null;

    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** Not while an application is built ahead of time: what it will be started with is not known then. */
    @Override
    public void postProcessBeanDefinitionRegistry(BeanDefinitionRegistry registry) {
        List<ConfigurationPropertySource> sources = new ArrayList<>(List.of(ANY));
        ConfigurationPropertySources.get(environment).forEach(sources::add);
        Map<ConfigurationPropertyName, Boolean> written = written(sources);
        if (!written.isEmpty() && !Boolean.getBoolean(AbstractAotProcessor.AOT_PROCESSING)) {
            REMOVED.forEach(this::refuseIfSet);
            Names known = known(sources);
            known.types.forEach((name, type) -> ifSet(name.toString(), text -> check(name.toString(), text, type)));
            warnOfUnknown(written, known);
        }
    }

    /** The names that are set, each with true if only a variable of the system's environment has it. */
    private static Map<ConfigurationPropertyName, Boolean> written(List<ConfigurationPropertySource> sources) {
        Map<ConfigurationPropertyName, Boolean> written = new TreeMap<>();
        for (ConfigurationPropertySource source : sources) {
            if (source instanceof IterableConfigurationPropertySource names) {
                boolean variables = source.getUnderlyingSource() instanceof SystemEnvironmentPropertySource;
                names.stream()
                        .filter(ROOT::isAncestorOf)
                        .forEach(name -> written.merge(name, variables, Boolean::logicalAnd));
            }
        }
        return written;
    }

    private void ifSet(String property, Consumer<String> action) {
        Binder.get(environment).bind(property, String.class).ifBound(action);
    }

    private void refuseIfSet(String removed, String successor) {
        String property = removed.replaceFirst("=.*", "");
        ifSet(property, text -> {
            if (removed.equals(property)) {
                throw new RowlockSetupException(
                        "%s is not supported any more, but it is set to \"%s\".".formatted(property, text), successor);
            }
            if (removed.equalsIgnoreCase(property + "=" + text.strip())) {
                refuse(property, text.strip().toLowerCase(Locale.ROOT), "is not supported any more", successor);
            }
        });
    }

    /** Notes the names that a binder asks for, and binds nothing. */
    private static final class Names implements BindHandler {
        private final Map<ConfigurationPropertyName, Class<?>> types = new LinkedHashMap<>();

        @Override
        public <T> @Nullable Bindable<T> onStart(
                ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
            Class<?> type = target.getType().resolve(Object.class);
            if (type != Map.class && !type.isRecord()) {
                types.put(name, type);
                return null;
            }
            return target;
        }

        /** A value in place of a group is refused once it is bound. */
        @Override
        public @Nullable Object onFailure(
                ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) {
            return null;
        }
    }

    private Names known(List<ConfigurationPropertySource> sources) {
        Names names = new Names();
        bound.forEach((prefix, type) -> new Binder(sources).bind(prefix, Bindable.of(type), names));
        return names;
    }

    private void warnOfUnknown(Map<ConfigurationPropertyName, Boolean> written, Names known) {
        Set<String> variables =
                known.types.keySet().stream().map(SettingsCheck::joined).collect(Collectors.toSet());
        written.forEach((name, variable) -> {
            if (!known.types.containsKey(name)
                    && !(name.isLastElementIndexed() && known.types.containsKey(name.getParent()))
                    && !TESTS.isAncestorOf(name)
                    && !(variable && variables.contains(joined(name)))) {
                log.warn("The property {} is not known and has no effect", Printable.of(name.toString()));
            }
        });
    }

    /** Variables of the environment have underscores for dots, and in place of dashes underscores or nothing. */
    private static String joined(ConfigurationPropertyName name) {
        return name.toString().replaceAll("[.-]", "").toLowerCase(Locale.ROOT);
    }

    private void check(String name, String text, Class<?> type) {
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
            boolean unused = OnSwitchCondition.isOn(environment, name);
        }
        if (type == Duration.class && BARE_NUMBER.matcher(text.strip()).matches()) {
            refuse(name, text, "has no unit", "Give it a unit: ms, s, m, h or d, as in 30s.");
        }
    }

    private static void refuse(String name, String text, String what, String action) {
        throw new RowlockSetupException("The value \"%s\" of %s %s.".formatted(text, name, what), action);
    }
}
