package io.rowlock.store.jdbc.lease;

import io.rowlock.store.Lease;
import io.rowlock.store.LeaseRequest;
import io.rowlock.store.jdbc.session.JdbcText;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.SqlFailure;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Carries out changes of leases, each of another key, as one transaction that is sent at once. Thread-safe. */
record LeasePacket(LeasePacketSql sql) {
    /**
     * Carries out the changes whose gates are as they need them.
     *
     * @param changes not empty
     * @return what became of each, but for requests for keys without a gate, which are to be {@linkplain #create created}
     */
    Map<Change, Optional<ChangedGate>> change(Session session, List<Change> changes) throws SQLException {
        try {
            return transact(session, changes);
        } catch (SQLException e) {
            SqlFailure.ROW_LOCKED.require(e);
        }
        Set<String> unlocked = new HashSet<>();
        int unused = session.packet(sql.unlocked(changes), false, row -> unlocked.add(row.getString(1)));
        List<Change> free =
                changes.stream().filter(change -> unlocked.contains(change.hex)).toList();
        Map<Change, Optional<ChangedGate>> outcome = free.isEmpty() ? new HashMap<>() : transact(session, free);
        changes.stream().filter(change -> !free.contains(change)).forEach(change -> leaveOut(change, outcome));
        return outcome;
    }

    /** Creates gates acquired, all or none. @return what became of each request */
    Map<Change, Optional<ChangedGate>> create(Session session, List<Change> requests) throws SQLException {
        Map<Change, Optional<ChangedGate>> outcome = new HashMap<>();
        int unused = read(session, sql.create(requests), requests, Change::created, outcome);
        requests.forEach(request -> leaveOut(request, outcome));
        return outcome;
    }

    private Map<Change, Optional<ChangedGate>> transact(Session session, List<Change> changes) throws SQLException {
        Map<Change, Optional<ChangedGate>> outcome = new HashMap<>();
        int matched = read(session, sql.text(changes), changes, Change::changed, outcome);
        if (matched != outcome.values().stream().filter(Optional::isPresent).count()) {
            addCreatedMeanwhile(session, changes, outcome);
        }
        changes.stream().filter(change -> change.request == null).forEach(change -> leaveOut(change, outcome));
        return outcome;
    }

    /**
     * Gates that did not exist yet when the packet looked may have been acquired all the same: more rows match then. That is committed, so
     * a look that fails leaves open which.
     */
    private void addCreatedMeanwhile(Session session, List<Change> changes, Map<Change, Optional<ChangedGate>> outcome)
            throws SQLException {
        try {
            int unused = read(session, sql.gates(changes), changes, Change::created, outcome);
        } catch (SQLException e) {
            throw SqlFailure.unknown("It is not known which gates a packet has acquired: " + e.getMessage(), e);
        }
    }

    private static void leaveOut(Change change, Map<Change, Optional<ChangedGate>> outcome) {
        outcome.putIfAbsent(change, Optional.empty());
    }

    /** Reads what became of a change from the row of its gate. */
    private interface Reading {
        Optional<ChangedGate> of(Change change, ResultSet gate) throws SQLException;
    }

    /** @return how many rows the statements matched */
    private static int read(
            Session session,
            String statements,
            List<Change> changes,
            Reading reading,
            Map<Change, Optional<ChangedGate>> outcome)
            throws SQLException {
        Map<String, Change> byKey =
                changes.stream().collect(Collectors.toMap(change -> change.hex, Function.identity()));
        return session.packet(statements, true, row -> {
            Change change = Objects.requireNonNull(byKey.get(row.getString(1)));
            return outcome.merge(change, reading.of(change, row), (first, now) -> first.or(() -> now));
        });
    }

    /** A request for a key, or a lease that is to be released, of one thread; and what became of it: the gate, or empty. */
    static final class Change extends CompletableFuture<Optional<ChangedGate>> {
        final String key;
        final String hex;
        final @Nullable LeaseRequest request;
        final @Nullable Lease lease;

        private Change(String key, @Nullable LeaseRequest request, @Nullable Lease lease) {
            this.key = key;
            this.hex = HexFormat.of().withUpperCase().formatHex(JdbcText.key(key));
            this.request = request;
            this.lease = lease;
        }

        static Change acquire(LeaseRequest request) {
            return new Change(request.key(), request, null);
        }

        static Change release(Lease lease) {
            return new Change(lease.key(), null, lease);
        }

        /** @param row the gate as the packet found and locked it. @return it after the change; empty if it is not as the change needs it */
        private Optional<ChangedGate> changed(ResultSet row) throws SQLException {
            boolean released = row.getBoolean(5);
            boolean fits = lease == null ? released : !released && row.getLong(2) == lease.fence();
            long fence = row.getLong(lease == null ? 3 : 2);
            return fits ? Optional.of(new ChangedGate(fence, row.getBoolean(4), row.getBoolean(6))) : Optional.empty();
        }

        /** @param gate as it is after the packet. @return it, if this request acquired it */
        private Optional<ChangedGate> created(ResultSet gate) throws SQLException {
            boolean mine = request != null && gate.getBoolean(5) && gate.getLong(3) == request.nonce();
            return mine ? Optional.of(new ChangedGate(gate.getLong(2), gate.getBoolean(4), false)) : Optional.empty();
        }
    }

    /**
     * A gate after a change.
     *
     * @param fence of the lease that was acquired, or released
     * @param shared whether the key has ever had readers
     * @param waitedFor whether others waited in the queue of a key that was released
     */
    record ChangedGate(long fence, boolean shared, boolean waitedFor) {}
}
