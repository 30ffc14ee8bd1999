package io.rowlock.benchmark.workload;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.benchmark.contender.Ability;
import io.rowlock.benchmark.contender.Participant;
import io.rowlock.benchmark.contender.StarterApplication;
import io.rowlock.benchmark.report.Units;
import java.util.List;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

/** Threads run a short transaction, each on a row of its own: alone, and under each kind of lock that guards its commit. */
final class GuardedTransaction implements Workload {
    private static final int THREADS = 8;

    @Override
    public String name() {
        return "transaction-" + THREADS;
    }

    @Override
    public void measure(Run run) throws Exception {
        try (ConfigurableApplicationContext context =
                        StarterApplication.onDatabase(run.servers(), THREADS, OnDatabase.class);
                ConfigurableApplicationContext unlogged = StarterApplication.onDatabase(
                        run.servers(), THREADS, OnDatabase.class, "rowlock.log.mode=off")) {
            Accounts accounts = context.getBean(Accounts.class);
            accounts.open();
            List<Kind> kinds = List.of(
                    new Kind("business-alone", accounts::alone),
                    new Kind("raw-one-more-statement", accounts::oneMore),
                    new Kind("rowlock-transaction", accounts::inTransaction),
                    new Kind("rowlock-transaction-unlogged", unlogged.getBean(Accounts.class)::inTransaction),
                    new Kind("rowlock-lease-fenced", accounts::leased),
                    new Kind("rowlock-row-lock-fenced", accounts::rowLocked),
                    new Kind("raw-for-update", accounts::forUpdate));
            for (Kind kind : kinds) {
                WarmUp.untilQuiet(run, thread -> new TransactionLoop(kind.body(), thread));
            }
            run.rounds(name(), kinds, run.settings().rounds(), (kind, counts) -> {
                Load load = Load.measure(
                        THREADS,
                        run.settings().turn(1, counts),
                        run.meter(),
                        thread -> new TransactionLoop(kind.body(), thread));
                if (counts) {
                    run.samples().add(name(), kind.name(), Units.OPERATIONS, load.pairsPerSecond());
                    load.addCosts(run.samples(), name(), kind.name(), Ability.DATABASE::equals);
                }
            });
        }
    }

    /** One transaction on the row of a thread. */
    @FunctionalInterface
    private interface Body {
        void run(int id);
    }

    private record Kind(String name, Body body) implements Participant {}

    private record TransactionLoop(Body body, int thread) implements Load.Loop {
        @Override
        public void once() {
            body.run(thread);
        }

        @Override
        public void close() {}
    }

    /** Reads a row and writes it. */
    static class Accounts {
        private static final String READ = "SELECT amount FROM benchmark_account WHERE id = ?";
        private static final String LOCK = "SELECT id FROM benchmark_gate WHERE id = ? FOR UPDATE";

        private final JdbcTemplate jdbc;

        Accounts(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        public void open() {
            jdbc.execute("CREATE TABLE IF NOT EXISTS benchmark_account (id INT PRIMARY KEY, amount BIGINT NOT NULL)");
            jdbc.execute("CREATE TABLE IF NOT EXISTS benchmark_gate (id INT PRIMARY KEY)");
            for (int id = 0; id < THREADS; id++) {
                jdbc.update("INSERT INTO benchmark_gate VALUES (?) ON DUPLICATE KEY UPDATE id = id", id);
                jdbc.update("INSERT INTO benchmark_account VALUES (?, 0) ON DUPLICATE KEY UPDATE amount = 0", id);
            }
        }

        @Transactional
        public void alone(int id) {
            add(READ, id);
        }

        @Transactional
        public void oneMore(int id) {
            Integer unused = jdbc.queryForObject(LOCK, Integer.class, id);
            add(READ, id);
        }

        @DistributedLock(name = "account", key = "#p0", strategy = "transaction")
        @Transactional
        public void inTransaction(int id) {
            add(READ, id);
        }

        @DistributedLock(name = "account", key = "#p0", strategy = "lease")
        @Transactional
        public void leased(int id) {
            add(READ, id);
        }

        @DistributedLock(name = "account", key = "#p0", strategy = "row-lock")
        @Transactional
        public void rowLocked(int id) {
            add(READ, id);
        }

        @Transactional
        public void forUpdate(int id) {
            add(READ + " FOR UPDATE", id);
        }

        private void add(String read, int id) {
            Long amount = jdbc.queryForObject(read, Long.class, id);
            jdbc.update("UPDATE benchmark_account SET amount = ? WHERE id = ?", amount == null ? 0 : amount + 1, id);
        }
    }

    /** An application as Spring Boot sets it up. */
    @Configuration(proxyBeanMethods = false)
    static class OnDatabase {
        @Bean
        Accounts accounts(JdbcTemplate jdbc) {
            return new Accounts(jdbc);
        }
    }
}
