package io.rowlock.autoconfigure;

import io.rowlock.Printable;
import io.rowlock.client.lock.StaleReads;
import io.rowlock.interceptor.LockInterceptorSettings;
import io.rowlock.store.Lease;
import io.rowlock.store.jdbc.session.LockDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.PropertyMapper;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.AdviceMode;

/**
 * All that an application can set. Every value is checked here, so that a wrong one stops the start with its name.
 *
 * @param enabled Turns locks on. If false, there is no LockClient, and annotated methods run without locks.
 * @param strategy Strategy of locks that name none. By default lease, or the only strategy there is.
 * @param ttl How long a dead holder keeps a lock; a living one renews it.
 * @param waitTime How long an annotated method or LockClient.acquire waits for a busy lock; 0 tries once.
 * @param keyPrefix Text before every lock key, at most 200 bytes, to keep applications that share a schema apart.
 * @param owner Unique name of this process in the tables, up to 100 characters. By default application, host, process id,
 * random part.
 * @param locks Settings of annotated locks by their name, which win over the annotation. A name with dots is written in
 * brackets.
 */
@ConfigurationProperties("rowlock")
public record RowlockProperties(
        @DefaultValue("true") boolean enabled,
        @Nullable String strategy,
        @DefaultValue("30s") Duration ttl,
        @DefaultValue("10s") Duration waitTime,
        @DefaultValue("") String keyPrefix,
        @Nullable String owner,
        @DefaultValue Renewal renewal,
        @DefaultValue Fencing fencing,
        @DefaultValue Handoff handoff,
        @DefaultValue Cluster cluster,
        @DefaultValue Schema schema,
        @DefaultValue Pool pool,
        @DefaultValue Datasource datasource,
        @DefaultValue Log log,
        @DefaultValue Cleanup cleanup,
        @DefaultValue Leader leader,
        @DefaultValue Map<String, LockInterceptorSettings.OfName> locks,
        @DefaultValue Web web,
        @DefaultValue Startup startup,
        @DefaultValue Aop aop) {

    public RowlockProperties {
        PropertyLimit.ttl("rowlock.ttl", ttl);
        PropertyLimit.between("rowlock.wait-time", waitTime, Duration.ZERO, PropertyLimit.YEAR);
        PropertyLimit.atMostBytes("rowlock.key-prefix", keyPrefix, 200);
        PropertyMapper.get().from(owner).to(GeneratedOwner::check);
        Duration interval = renewal.interval();
        if (interval != null) {
            PropertyLimit.between("rowlock.renewal.interval", interval, Duration.ofMillis(10), PropertyLimit.YEAR);
            PropertyLimit.require(
                    interval.compareTo(ttl) < 0,
                    "rowlock.renewal.interval",
                    interval,
                    "It must be shorter than rowlock.ttl, which is %s.".formatted(Printable.of(ttl)));
        }
    }

    /**
     * The renewal of leases.
     *
     * @param enabled Renews held locks, unless a lock says otherwise.
     * @param interval Time between renewals; by default, and at the latest, a third of each ttl.
     */
    public record Renewal(
            @DefaultValue("true") boolean enabled, @Nullable Duration interval) {}

    /**
     * The protection of commits.
     *
     * @param transactional Refuses the commit of a guarded transaction once its lock is lost.
     * @param staleSnapshot Whether a transaction may write under a lock what it read before: refuse its commit,
     * warn, or allow it.
     * @param uncovered Whether a guarded transaction may run outside of the database of the lock tables: warn, or
     * refuse its commit.
     * @param unguardedManagers Beans of transaction managers whose transactions may have locks, though Rowlock cannot
     * guard them.
     */
    public record Fencing(
            @DefaultValue("true") boolean transactional,
            @DefaultValue("refuse") StaleReads.Policy staleSnapshot,
            @DefaultValue("warn") Uncovered uncovered,
            @DefaultValue List<String> unguardedManagers) {
        /** The fate of a guarded transaction on another database than the lock tables, which no row of a lock can protect. */
        public enum Uncovered {
            WARN,
            REFUSE
        }
    }

    /**
     * The hand-off of a lock among the threads of this process, without asking the database.
     *
     * @param max How often threads of a process may hand a lock on before other processes may acquire it; 0 to 1022.
     * @param maxTime How long after it was acquired a lock may still be handed on, and readers may still join it.
     */
    public record Handoff(
            @DefaultValue("100") int max,
            @DefaultValue("100ms") Duration maxTime) {
        public Handoff {
            PropertyLimit.between("rowlock.handoff.max", max, 0, Lease.MOST_HANDOFFS);
            PropertyLimit.between("rowlock.handoff.max-time", maxTime, Duration.ZERO, PropertyLimit.HOUR);
        }
    }

    /**
     * The database cluster.
     *
     * @param writers Servers of a cluster that accept writes: auto asks the server and refuses several; one: a single
     * write address.
     */
    public record Cluster(@DefaultValue("auto") Writers writers) {
        /** The number of servers that accept writes. */
        public enum Writers {
            AUTO,
            ONE
        }
    }

    /**
     * The tables.
     *
     * @param initialize What happens to the tables at startup: always migrates them, validate only checks them, never
     * does neither.
     * @param tablePrefix Beginning of the table names: 1 to 30 small letters, digits and underscores, no digit first.
     */
    public record Schema(
            @DefaultValue("always") Initialize initialize,
            @DefaultValue("rowlock_") String tablePrefix) {
        public Schema {
            PropertyLimit.require(
                    tablePrefix.matches("[a-z_][a-z0-9_]{0,29}"),
                    "rowlock.schema.table-prefix",
                    tablePrefix,
                    "1 to 30 small letters, digits and underscores are possible, no digit first.");
        }

        /** Returns true if the application starts even if locks cannot be acquired yet. */
        public boolean startsWithoutTables() {
            return initialize == Initialize.NEVER;
        }

        /** The fate of the tables at start-up. */
        public enum Initialize {
            ALWAYS,
            VALIDATE,
            NEVER
        }
    }

    /**
     * The connections locks use.
     *
     * @param size Maximum number of connections of the lock pool, the waiting pool and the pool of row locks, each.
     * @param connectionTimeout How long one attempt waits for a connection, at least 250 ms; a waiting thread tries
     * again until its deadline.
     * @param queryTimeout How long a statement may take; at least 1 s, rounded up to whole seconds.
     */
    public record Pool(
            @DefaultValue("8") int size,
            @DefaultValue("2s") Duration connectionTimeout,
            @DefaultValue("3s") Duration queryTimeout) {
        public Pool {
            PropertyLimit.between("rowlock.pool.size", size, 1, 1_000);
            PropertyLimit.between(
                    "rowlock.pool.connection-timeout", connectionTimeout, Duration.ofMillis(250), PropertyLimit.HOUR);
            PropertyLimit.between("rowlock.pool.query-timeout", queryTimeout, PropertyLimit.SECOND, PropertyLimit.HOUR);
            queryTimeout = Duration.ofSeconds(LockDatabase.wholeSeconds(queryTimeout));
        }
    }

    /**
     * The database that keeps the locks, where the application's DataSource does not tell how to reach it.
     *
     * @param url JDBC URL of the database that keeps the locks; by default that of the application's DataSource.
     * @param username User of the lock pools; by default, and without a URL, that of the application's DataSource.
     * @param password Password of that user; by default, and without a URL, that of the application's DataSource.
     * @param driverClassName Driver of the lock pools; by default the one that fits the URL.
     */
    public record Datasource(
            @Nullable String url,
            @Nullable String username,
            @Nullable String password,
            @Nullable String driverClassName) {
        /** Hides the password, and the URL, which may hold one. */
        @Override
        public String toString() {
            return "Datasource of " + username;
        }
    }

    /**
     * The history of grants.
     *
     * @param mode How grants are logged: async from a queue that drops rows rather than slow a lock; off not at all.
     * @param retention How long rows of the lock log are kept.
     */
    public record Log(
            @DefaultValue("async") Mode mode,
            @DefaultValue("7d") Duration retention) {
        public Log {
            PropertyLimit.between("rowlock.log.retention", retention, PropertyLimit.SECOND, PropertyLimit.TEN_YEARS);
        }

        /** The way in which grants are noted. */
        public enum Mode {
            ASYNC,
            OFF
        }
    }

    /**
     * The removal of what time has left behind in the tables.
     *
     * @param interval Time between clean-ups of the tables, by one node at a time.
     * @param keepIdle Lifetime of an unused key's row. Row locks: whole days since creation; fences: at least a day.
     */
    public record Cleanup(
            @DefaultValue("1m") Duration interval,
            @DefaultValue("7d") Duration keepIdle) {
        public Cleanup {
            PropertyLimit.between("rowlock.cleanup.interval", interval, PropertyLimit.SECOND, PropertyLimit.TEN_YEARS);
            PropertyLimit.between("rowlock.cleanup.keep-idle", keepIdle, PropertyLimit.SECOND, PropertyLimit.TEN_YEARS);
        }
    }

    /**
     * Leader election.
     *
     * @param roles Roles by name: ttl after a leader's death (5s), interval between attempts (1s), enabled if this node
     * is a candidate.
     */
    public record Leader(@DefaultValue Map<String, RoleProperties> roles) {}

    /**
     * Web requests.
     *
     * @param busyStatus Status of a web request that needs a busy lock: 400 to 599; 0 leaves exceptions to the
     * application.
     */
    public record Web(@DefaultValue("409") int busyStatus) {
        public Web {
            PropertyLimit.require(
                    busyStatus == 0 || (busyStatus >= 400 && busyStatus <= 599),
                    "rowlock.web.busy-status",
                    busyStatus,
                    "It must be 400 to 599, or 0.");
        }
    }

    /**
     * The start of the application.
     *
     * @param timeout How long the first connection to the database may take, at least 1 s.
     */
    public record Startup(@DefaultValue("30s") Duration timeout) {
        public Startup {
            PropertyLimit.between("rowlock.startup.timeout", timeout, PropertyLimit.SECOND, PropertyLimit.HOUR);
        }
    }

    /**
     * The lock interceptor.
     *
     * @param order Place of the lock among the advisors of a method. By default outside of the transaction.
     * @param mode Whether proxies or woven aspects acquire the locks. With aspectj every annotated method must be woven.
     */
    public record Aop(
            @DefaultValue("2147482647") int order,
            @DefaultValue("proxy") AdviceMode mode) {}

    /**
     * A role.
     *
     * @param ttl How long a dead leader keeps its role; a living one renews it.
     * @param interval How often a node tries to become leader, at most.
     * @param enabled Whether this node stands for election.
     */
    public record RoleProperties(
            @DefaultValue("5s") Duration ttl,
            @DefaultValue("1s") Duration interval,
            @DefaultValue("true") boolean enabled) {}
}
