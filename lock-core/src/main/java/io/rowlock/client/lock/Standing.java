package io.rowlock.client.lock;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.support.DefaultTransactionStatus;
import org.springframework.transaction.support.ResourceHolderSupport;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Tells where a transaction stands among those of its thread.
 *
 * @param open tells whether the thread is in it, as far as its manager tells
 * @param connection the one that it has bound, if it is on a DataSource
 * @param tolerated the DataSources of which another connection was bound when it began, of no transaction, or of one that listeners
 *     are called after
 * @param unguarded those of which a transaction around it that no fence checks has bound another connection
 */
record Standing(
        BooleanSupplier open, @Nullable Object connection, List<DataSource> tolerated, List<DataSource> unguarded) {
    /** Of a transaction that no fence tells of, which only keeps locks. */
    static final Standing UNKNOWN = new Standing(new Bound(null), null, List.of(), List.of());

    /** Something that a manager binds to the thread for one transaction, which the thread is in as long as it is there. */
    private record Bound(@Nullable Object transaction) implements BooleanSupplier {
        @Override
        public boolean getAsBoolean() {
            return TransactionSynchronizationManager.getResourceMap().containsValue(transaction);
        }
    }

    /** Returns that of a transaction that has just begun. */
    static Standing of(OpenTransactions.Rules rules, TransactionExecution begun) {
        DataSource dataSource = rules.dataSource();
        Object connection = dataSource == null ? null : TransactionSynchronizationManager.getResource(dataSource);
        List<DataSource> others = connection == null ? List.of() : unguarded(connection);
        // A transaction that suspended one is inside of it
        boolean inner = begun instanceof DefaultTransactionStatus status && status.getSuspendedResources() != null;
        return new Standing(rules.begun().get(), connection, inner ? List.of() : others, inner ? others : List.of());
    }

    /** Returns the question for a transaction that its manager has just bound under {@code resource}, or where it does not tell. */
    static BooleanSupplier boundUnder(@Nullable Object resource) {
        return new Bound(resource == null ? newlyBound() : TransactionSynchronizationManager.getResource(resource));
    }

    private static @Nullable Object newlyBound() {
        Collection<Object> all =
                TransactionSynchronizationManager.getResourceMap().values();
        return all.stream()
                .filter(each -> each instanceof ResourceHolderSupport holder && holder.isSynchronizedWithTransaction())
                .filter(each -> OpenTransactions.among(all, around -> around.standing.isOf(each))
                        .isEmpty())
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the DataSources of which a connection is bound to the thread that no guarded transaction around the current one has.
     *
     * @param current that of the current one, or null if it is to be among them
     */
    static List<DataSource> unguarded(@Nullable Object current) {
        Map<Object, Object> resources = TransactionSynchronizationManager.getResourceMap();
        List<DataSource> found = List.of();
        for (Map.Entry<Object, Object> each : resources.entrySet()) {
            if (each.getKey() instanceof DataSource other
                    && each.getValue() != current
                    && OpenTransactions.among(
                                    resources.values(), around -> around.standing.knows(other, each.getValue()))
                            .isEmpty()) {
                found = found.isEmpty() ? new ArrayList<>(1) : found;
                found.add(other);
            }
        }
        return found;
    }

    /** Returns true if that is bound for it. */
    boolean isOf(@Nullable Object bound) {
        return open.equals(new Bound(bound));
    }

    /** Returns true if its manager has bound something for it. */
    boolean isBound() {
        return open instanceof Bound bound && bound.transaction() != null;
    }

    /** Returns true if a connection is that of the transaction, or was there before, of none. */
    private boolean knows(DataSource other, Object bound) {
        return bound == connection || tolerated.contains(other);
    }
}
