package io.rowlock.autoconfigure.transaction;

import io.rowlock.LockStoreException;
import io.rowlock.autoconfigure.RowlockProperties;
import io.rowlock.autoconfigure.RowlockProperties.Fencing.Uncovered;
import io.rowlock.autoconfigure.database.TransactionalDataSource;
import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import io.rowlock.client.RowlockClient;
import io.rowlock.client.TransactionFence;
import io.rowlock.client.lock.OpenTransactions;
import io.rowlock.store.CommitCheck;
import io.rowlock.store.LockStore;
import io.rowlock.store.SnapshotMarks;
import io.rowlock.store.jdbc.session.CoveredFence;
import io.rowlock.store.jdbc.session.SameDatabase;
import io.rowlock.store.jdbc.session.TransactionConnection;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.transaction.ConfigurableTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.ResourceTransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Makes every transaction manager ask before a commit whether the locks of the transaction are still held: the database
 * itself, where the transaction is on the database that keeps the locks; otherwise only this process.
 *
 * @param beans where the transaction managers are
 * @param client whose locks they ask for
 * @param stores make the checks of their strategies
 * @param tokens makes those of a strategy that keeps its locks outside of the database, or null if there is none
 * @param same says whether a transaction is where the lock tables are; null if there are none
 * @param marks makes what marks grants that write no row, for transactions on a DataSource; null if there are no lock tables
 * @param properties how the checks are set
 * @param known the transactions that were warned of
 */
record TransactionFences(
        ListableBeanFactory beans,
        RowlockClient client,
        List<LockStore> stores,
        @Nullable TokenFencing tokens,
        @Nullable SameDatabase same,
        Function<DataSource, @Nullable SnapshotMarks> marks,
        RowlockProperties properties,
        Set<String> known)
        implements SmartInitializingSingleton {
    private static final Logger log = LoggerFactory.getLogger(TransactionFences.class);

    private static final String REFUSAL =
            "A lock cannot be relied on in a transaction of \"%s\": %s. Acquire the lock outside of its transactions, or name the bean in rowlock.fencing.unguarded-managers to go without that protection";

    @Override
    public void afterSingletonsInstantiated() {
        var managers =
                BeanFactoryUtils.beansOfTypeIncludingAncestors(beans, PlatformTransactionManager.class, false, true);
        properties.fencing().unguardedManagers().forEach(name -> requireKnown(name, managers.keySet()));
        Set<@Nullable DataSource> excepted = Collections.newSetFromMap(new IdentityHashMap<>());
        managers.forEach((name, manager) -> guard(name, manager, managers.values(), excepted));
        client.requireGuardedTransactions(dataSource -> !excepted.contains(dataSource) && !excepted.contains(null));
    }

    private static void requireKnown(String name, Set<String> known) {
        if (!known.contains(name)) {
            throw new RowlockSetupException(
                    "rowlock.fencing.unguarded-managers names \"%s\", but the transaction managers are %s."
                            .formatted(name, known),
                    "Correct the name of the bean, or remove it.");
        }
    }

    private void guard(
            String name,
            PlatformTransactionManager manager,
            Collection<PlatformTransactionManager> all,
            Set<@Nullable DataSource> excepted) {
        ConfigurableTransactionManager guardable =
                EarlyFences.guardable(manager).orElse(null);
        if (guardable == null) {
            log.warn(
                    "Transactions of {} ({}) are not guarded: it is no ConfigurableTransactionManager, and none was found in it. {}",
                    name,
                    manager.getClass().getName(),
                    withoutGuard(name, manager, excepted));
        } else if (guardable == manager || !all.contains(guardable)) {
            // A manager has one if it was added when the manager was made, or by a context above this one
            EarlyFences.first(guardable, fence -> fence.isOf(client), () -> fence(name, guardable));
        }
    }

    /** @param excepted gets the DataSource of a manager that is named; null, for all of them, if it does not tell its own */
    private String withoutGuard(String name, PlatformTransactionManager manager, Set<@Nullable DataSource> excepted) {
        if (!properties.fencing().unguardedManagers().contains(name)) {
            return "Locks are refused in them. Declare the manager that it decorates as a bean";
        }
        Optional<DataSource> own = Optional.ofNullable(TransactionalDataSource.of(manager))
                .or(() -> TransactionalDataSource.inside(manager, DataSource.class, DataSource.class));
        excepted.add(own.orElse(null));
        return own.isPresent()
                ? "They may have locks, and commit though a lock is lost, because rowlock.fencing.unguarded-managers names it"
                : "All transactions that are not guarded may have locks, and commit though a lock is lost, because rowlock.fencing.unguarded-managers names it and it does not tell its DataSource";
    }

    TransactionFence fence(String name, ConfigurableTransactionManager manager) {
        boolean excepted = properties.fencing().unguardedManagers().contains(name);
        boolean jta = isJta(manager) && !excepted;
        DataSource transactional = TransactionalDataSource.of(manager);
        Map<String, CommitCheck> checks = jta ? Map.of() : checksFor(name, transactional);
        String unfit = null;
        if (jta) {
            log.warn("Transactions of {} are not guarded, because they are JTA: locks are refused in them", name);
            unfit = "it is JTA, so it would commit though the lock is lost";
        } else if (checks.isEmpty() && (transactional == null || same == null)) {
            String where = transactional == null
                    ? "have no DataSource" + (synchronizes(manager) ? "" : " and keep no lock that is acquired in them")
                    : "on a " + transactional.getClass().getName() + " are on a database without lock tables";
            boolean refused = isRefused() && !excepted;
            log.warn("Transactions of {} {}: under a lock {}", name, where, consequence(refused));
            unfit = refused ? "such transactions " + where + ", and rowlock.fencing.uncovered is refuse" : null;
        }
        Optional<TransactionConnection> connection = Optional.ofNullable(transactional)
                .map(own -> new TransactionConnection(own, properties.pool().queryTimeout()));
        return new TransactionFence(
                client,
                new OpenTransactions.Rules(
                        checks,
                        transactional == null ? null : marks.apply(transactional),
                        client.staleReads(),
                        unfit == null ? null : REFUSAL.formatted(name, unfit),
                        () -> transactional != null && TransactionConnection.rollBack(transactional),
                        () -> connection.map(TransactionConnection::onlyReads).orElse(true),
                        () -> connection.map(TransactionConnection::rowLocks).orElse(() -> false),
                        jta
                                ? () -> new OpenJta(manager)
                                : OpenTransactions.boundUnder(
                                        transactional == null && !synchronizes(manager) // as of a message broker
                                                ? OpenTransactions.NO_DATA
                                                : manager instanceof ResourceTransactionManager telling
                                                        ? telling.getResourceFactory()
                                                        : transactional),
                        transactional));
    }

    private static boolean synchronizes(ConfigurableTransactionManager manager) {
        return !(manager instanceof AbstractPlatformTransactionManager spring)
                || spring.getTransactionSynchronization() != AbstractPlatformTransactionManager.SYNCHRONIZATION_NEVER;
    }

    private static boolean isJta(ConfigurableTransactionManager manager) {
        // by the name of what JtaTransactionManager implements: its class needs those of JTA
        return Arrays.stream(ClassUtils.getAllInterfaces(manager))
                .anyMatch(type -> type.getName().equals("org.springframework.transaction.jta.TransactionFactory"));
    }

    private Map<String, CommitCheck> checksFor(String name, @Nullable DataSource transactional) {
        Map<String, CommitCheck> checks = new LinkedHashMap<>();
        stores.forEach(store -> checkOf(store, transactional)
                .ifPresent(check -> checks.putIfAbsent(store.strategy(), covered(name, check, transactional))));
        if (transactional != null && same != null && checks.isEmpty()) {
            log.info(
                    "Commits of {} are refused only for locks this process knows to be lost, without asking the database: no strategy has a check there",
                    name);
        }
        return checks;
    }

    private Optional<CommitCheck> checkOf(LockStore store, @Nullable DataSource transactional) {
        if (tokens == null || !tokens.strategy().equals(store.strategy())) {
            return store.commitCheck(transactional);
        }
        return Optional.ofNullable(transactional).map(tokens.fences());
    }

    private CommitCheck covered(String name, CommitCheck check, @Nullable DataSource transactional) {
        return transactional == null || same == null
                ? check
                : new CoveredFence(check, transactional, same, place -> uncovered(name, place));
    }

    private boolean isRefused() {
        return properties.fencing().uncovered() == Uncovered.REFUSE;
    }

    private static String consequence(boolean refused) {
        return refused
                ? "they do not commit, because rowlock.fencing.uncovered is refuse"
                : "their commits are not covered by the check, so they are refused only if this process knows that the lock is lost";
    }

    /** @throws LockStoreException if such a transaction must not commit */
    private void uncovered(String name, TransactionConnection.Place place) {
        if (isRefused()) {
            throw new LockStoreException(
                    ("The commit is refused: the transaction of %s is under a lock and on another database than the lock tables (%s), so"
                                    + " the lock cannot be checked; set rowlock.fencing.uncovered=warn to let it commit unchecked")
                            .formatted(name, place),
                    null);
        }
        if (known.add(name + ", " + place)) {
            log.warn(
                    "A transaction of {} under a lock is on another database than the lock tables ({}): {}",
                    name,
                    place,
                    consequence(false));
        }
    }
}
