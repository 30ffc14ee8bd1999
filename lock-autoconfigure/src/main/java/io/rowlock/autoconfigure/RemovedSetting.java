package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A property that was removed, or one of its values. Who sets it meant something by it, so it is refused and not ignored.
 *
 * @param property the name of the property
 * @param value the value, or null if every value is refused
 * @param successor what to do instead, as sentences
 */
record RemovedSetting(String property, @Nullable String value, String successor) {
    static final List<RemovedSetting> ALL = List.of(
            new RemovedSetting(
                    "rowlock.cluster.writers",
                    "many",
                    "Locks need one writer: lead all nodes to one server of the cluster. The value \"one\" says that all nodes reach it."),
            new RemovedSetting(
                    "rowlock.log.mode",
                    "sync",
                    "Set rowlock.log.mode to async, which never holds up a lock, or to off."),
            new RemovedSetting(
                    "rowlock.pool.shared",
                    null,
                    "Remove it: locks have a small pool of their own, made from the application's DataSource. Where that is not possible, set rowlock.datasource.url, rowlock.datasource.username, rowlock.datasource.password and rowlock.datasource.driver-class-name."));

    /**
     * Refuses what was removed.
     *
     * @param text what the property is set to
     * @throws RowlockSetupException if that is what was removed
     */
    void refuse(String text) {
        if (value != null && !value.equalsIgnoreCase(text.strip())) {
            return;
        }
        String what = value == null ? "" : "The value \"%s\" of ".formatted(value);
        String shown = value == null ? ", but it is set to \"%s\"".formatted(Printable.of(text)) : "";
        throw new RowlockSetupException(
                "%s%s is not supported any more%s.".formatted(what, property, shown), successor, null);
    }
}
