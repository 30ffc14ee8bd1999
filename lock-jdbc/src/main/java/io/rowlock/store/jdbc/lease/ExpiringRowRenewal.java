package io.rowlock.store.jdbc.lease;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.store.Lease;
import io.rowlock.store.Renewal;
import io.rowlock.store.UncertainOutcomeException;
import io.rowlock.store.jdbc.session.LockDatabase;
import io.rowlock.store.jdbc.session.RowLockedException;
import io.rowlock.store.jdbc.session.Session;
import io.rowlock.store.jdbc.session.TooLongException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Has leases last longer, or end when it suits. A batch is renewed with one statement. Only if that does not renew them all is it asked which are lost, and only
 * if another transaction has locked a row of the batch are the others renewed around it.
 */
final class ExpiringRowRenewal {
    private final LockDatabase database;
    private final ExpiringRowSql sql;

    ExpiringRowRenewal(LockDatabase database, ExpiringRowSql sql) {
        this.database = database;
        this.sql = sql;
    }

    Map<Lease, Renewal> renew(LeaseBatch batch, long ttlMicros) {
        try {
            return database.call(session -> {
                boolean all =
                        update(session, batch, ttlMicros) == batch.leases().size();
                return all ? allRenewed(batch) : withLost(batch, session);
            });
        } catch (RowLockedException | UncertainOutcomeException e) {
            return database.call(session -> aroundLockedRows(session, batch, ttlMicros));
        } catch (TooLongException e) {
            return inHalves(batch, ttlMicros, e);
        }
    }

    private Map<Lease, Renewal> inHalves(LeaseBatch batch, long ttlMicros, TooLongException tooLong) {
        List<Lease> leases = batch.leases();
        if (leases.size() == 1) {
            throw tooLong;
        }
        int half = leases.size() / 2;
        Map<Lease, Renewal> outcome = new HashMap<>(renew(new LeaseBatch(leases.subList(0, half)), ttlMicros));
        outcome.putAll(renew(new LeaseBatch(leases.subList(half, leases.size())), ttlMicros));
        return outcome;
    }

    /**
     * Has a lease end after {@code restMicros}, unless it was released so before.
     *
     * @return false if it is gone
     */
    boolean releaseAfter(Lease lease, long restMicros) {
        LeaseBatch one = LeaseBatch.of(List.of(lease));
        return database.call(
                session -> session.update(sql.endLater, one.parameters(sql.naming, restMicros, restMicros)) == 1
                        || !live(session, one, sql.live(1)).isEmpty());
    }

    private int update(Session session, LeaseBatch batch, long ttlMicros) throws SQLException {
        return session.update(sql.renew(batch.width()), batch.parameters(sql.naming, ttlMicros));
    }

    private static Map<Lease, Renewal> allRenewed(LeaseBatch batch) {
        Map<Lease, Renewal> outcome = new HashMap<>();
        batch.leases().forEach(lease -> outcome.put(lease, Renewal.RENEWED));
        return outcome;
    }

    /** A lease that still lasts after the update lasted when it ran, so it was renewed. */
    private Map<Lease, Renewal> withLost(LeaseBatch batch, Session session) throws SQLException {
        Set<RowId> live = live(session, batch, sql.live(batch.width()));
        Map<Lease, Renewal> outcome = new HashMap<>();
        batch.leases()
                .forEach(lease -> outcome.put(lease, live.contains(RowId.of(lease)) ? Renewal.RENEWED : Renewal.LOST));
        return outcome;
    }

    private Map<Lease, Renewal> aroundLockedRows(Session session, LeaseBatch batch, long ttlMicros)
            throws SQLException {
        Set<RowId> renewed = session.inTransaction(transaction -> {
            Set<RowId> unlocked = live(transaction, batch, sql.lockUnlocked(batch.width()));
            List<Lease> free = batch.leases().stream()
                    .filter(lease -> unlocked.contains(RowId.of(lease)))
                    .toList();
            if (!free.isEmpty()) {
                update(transaction, new LeaseBatch(free), ttlMicros);
            }
            return unlocked;
        });
        Set<RowId> live = live(session, batch, sql.live(batch.width()));
        Map<Lease, Renewal> outcome = new HashMap<>();
        for (Lease lease : batch.leases()) {
            RowId id = RowId.of(lease);
            Renewal reached = renewed.contains(id) ? Renewal.RENEWED : Renewal.UNKNOWN;
            outcome.put(lease, live.contains(id) ? reached : Renewal.LOST);
        }
        return outcome;
    }

    private Set<RowId> live(Session session, LeaseBatch batch, String statement) throws SQLException {
        return new HashSet<>(session.query(statement, RowId::of, batch.parameters(sql.naming)));
    }

    private record RowId(String key, long slot, long fence) {
        static RowId of(Lease lease) {
            return new RowId(lease.key(), lease.slot(), lease.fence());
        }

        static RowId of(ResultSet row) throws SQLException {
            return new RowId(new String(row.getBytes(1), UTF_8), row.getLong(2), row.getLong(3));
        }
    }
}
