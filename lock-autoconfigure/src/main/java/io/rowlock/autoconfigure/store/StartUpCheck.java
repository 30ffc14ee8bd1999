package io.rowlock.autoconfigure.store;

import io.rowlock.LockStoreException;
import io.rowlock.Printable;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.inspection.StoreInspection;
import io.rowlock.store.jdbc.session.Cluster;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.ServerProof;
import io.rowlock.store.jdbc.session.ServerReport;
import io.rowlock.store.jdbc.session.TablePrefix;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Says in one line, when the application starts, what keeps its locks, and warns of what makes them weaker. If locks could
 * not be acquired, the application does not start, unless it leaves the tables alone: then it may start before they are there.
 *
 * @param fencing whether there is what checks commits
 * @param properties what was said of the server, and how long the first connection may take
 * @param failures has the server prove what it does: returns the promises that do not hold between two sessions, one sentence each
 *     without a full stop
 */
record StartUpCheck(
        LockAdmin locks,
        LockDatabase database,
        boolean fencing,
        RowlockProperties properties,
        Supplier<List<String>> failures)
        implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(StartUpCheck.class);

    @Override
    public void afterSingletonsInstantiated() {
        try {
            locks.usual().ifPresent(StoreInspection::requireRights);
            ServerReport server = ServerReport.of(database);
            requireOneWriter(server.cluster());
            if (!properties.schema().startsWithoutTables()) {
                requireProof();
            }
            report(server);
        } catch (LockStoreException ex) {
            if (!properties.schema().startsWithoutTables()) {
                throw ex;
            }
            log.warn(
                    "No locks can be acquired at the moment, and it was not checked that one server accepts all writes: {}",
                    ex.getMessage());
        }
    }

    private void requireProof() {
        TablePrefix prefix = new TablePrefix(properties.schema().tablePrefix());
        List<String> needed = ServerProof.repairs(database, prefix);
        if (!needed.isEmpty()) {
            throw new RowlockSetupException(
                    "Lock tables have an engine that locks no rows, so two nodes could hold one lock.",
                    "Stop all nodes and run: " + String.join("; ", needed) + ".");
        }
        List<String> broken;
        try {
            broken = failures.get();
        } catch (LockStoreException ex) {
            log.warn("What the server does with row locks is not proven: {}", ex.getMessage());
            return;
        }
        if (!broken.isEmpty()) {
            throw new RowlockSetupException(
                    "The server does not lock what it says it locks, so two nodes could hold one lock: "
                            + String.join("; ", broken) + ".",
                    "Connect locks directly to a MySQL or MariaDB server, past proxies that share or split sessions: set"
                            + " rowlock.datasource.url.");
        }
    }

    private void requireOneWriter(Cluster cluster) {
        if (properties.cluster().writers() == RowlockProperties.Cluster.Writers.ONE) {
            return;
        }
        cluster.refusal().ifPresent(why -> {
            throw new RowlockSetupException(
                    why,
                    "Keep locks in a database with one writer: one server, or a group in single-primary mode"
                            + " (SELECT group_replication_switch_to_single_primary_mode()). If all nodes of your application reach the"
                            + " cluster through one address that sends all writes to one server at a time, say so with"
                            + " rowlock.cluster.writers=one.");
        });
    }

    private void report(ServerReport server) {
        log.info(
                "Rowlock keeps locks by strategy {} in {}, {}: {}, fencing {}, owner {}",
                locks.node().strategy(),
                Printable.of(server.version().toString()),
                Printable.of(server.cluster().toString()),
                Printable.of(server.durability()),
                fencing ? "on" : "off",
                Printable.of(locks.node().owner()));
        server.warnings().stream().map(Printable::of).forEach(log::warn);
    }
}
