package io.rowlock.autoconfigure;

import io.rowlock.Misspelling;
import java.lang.reflect.Parameter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.core.ResolvableType;

/** The names and types of all properties, as the records have them that they are bound to. Not thread-safe. */
final class KnownSettings {
    /** Stands for the name of a lock or a role. */
    private static final String ANY = "*";

    private final List<Setting> all = new ArrayList<>();

    /**
     * A property.
     *
     * @param elements the elements of its name
     * @param type what it is bound to
     */
    record Setting(List<String> elements, Class<?> type) {
        private boolean matches(ConfigurationPropertyName name) {
            int length = name.getNumberOfElements();
            boolean indexed = Collection.class.isAssignableFrom(type) && length > elements.size();
            return (indexed || length == elements.size()) && matchesElements(name);
        }

        private boolean matchesElements(ConfigurationPropertyName name) {
            for (int i = 0; i < elements.size(); i++) {
                String own = elements.get(i);
                if (!own.equals(ANY) && !joined(own).equals(name.getElement(i, Form.UNIFORM))) {
                    return false;
                }
            }
            return true;
        }

        /** Variables of the environment have underscores for dots, and in place of dashes underscores or nothing. */
        private boolean matchesVariable(String variable) {
            String[] around = joined(String.join("", elements)).split("\\*", 2);
            return around.length == 1
                    ? variable.equals(around[0])
                    : variable.startsWith(around[0])
                            && variable.endsWith(around[1])
                            && variable.length() > around[0].length() + around[1].length();
        }

        /** The name, with the lock or role that {@code other} names. */
        String like(ConfigurationPropertyName other) {
            List<String> filled = new ArrayList<>();
            for (int i = 0; i < elements.size(); i++) {
                boolean open = elements.get(i).equals(ANY) && i < other.getNumberOfElements();
                filled.add(open ? other.getElement(i, Form.ORIGINAL) : elements.get(i));
            }
            return String.join(".", filled);
        }

        private static String joined(String name) {
            return name.replace("-", "").toLowerCase(Locale.ROOT);
        }
    }

    /**
     * Adds the properties of a record.
     *
     * @param prefix what their names begin with
     * @param type the record
     * @return these settings
     */
    KnownSettings with(String prefix, Class<?> type) {
        add(List.of(prefix.split("\\.")), type);
        return this;
    }

    /** By the parameters of the constructor, which is there for the binder in a native image, too. */
    private void add(List<String> parent, Class<?> type) {
        for (Parameter parameter : type.getDeclaredConstructors()[0].getParameters()) {
            List<String> elements = child(
                    parent, parameter.getName().replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT));
            ResolvableType bound = ResolvableType.forType(parameter.getParameterizedType());
            Class<?> value = bound.as(Map.class).getGeneric(1).resolve(parameter.getType());
            if (!value.isRecord()) {
                all.add(new Setting(elements, value));
            } else {
                add(value == parameter.getType() ? elements : child(elements, ANY), value);
            }
        }
    }

    private static List<String> child(List<String> parent, String element) {
        List<String> elements = new ArrayList<>(parent);
        elements.add(element);
        return List.copyOf(elements);
    }

    /** @param variable whether the name is that of a variable of the system's environment */
    Optional<Setting> find(ConfigurationPropertyName name, boolean variable) {
        String joined = Setting.joined(name.toString()).replace(".", "");
        return all.stream()
                .filter(setting -> setting.matches(name) || (variable && setting.matchesVariable(joined)))
                .findFirst();
    }

    /** @return the known name that is nearest */
    Optional<String> nearest(ConfigurationPropertyName name) {
        return Misspelling.of(
                name.toString(), all.stream().map(setting -> setting.like(name)).toList());
    }
}
