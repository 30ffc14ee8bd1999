package io.rowlock.benchmark.contender;

import static io.rowlock.benchmark.contender.Ability.DATABASE;
import static io.rowlock.benchmark.contender.Ability.IN_PROCESS;
import static io.rowlock.benchmark.contender.Ability.PREPARES;
import static io.rowlock.benchmark.contender.Ability.REDIS;
import static io.rowlock.benchmark.contender.Ability.SHARED;
import static io.rowlock.benchmark.contender.Ability.VARIANT;
import static io.rowlock.benchmark.contender.Ability.WAITING;

import java.util.List;
import org.redisson.api.RedissonClient;

/** All contenders, in the order in which they are shown. */
public final class Contenders {
    private static final List<Contender> ALL = List.of(
            new Contender("raw-lease", RawLease::new, DATABASE, PREPARES),
            new Contender("raw-row-lock", bareRowLock(RawRowLock.Statements.ONE_ROW), DATABASE, WAITING, PREPARES),
            new Contender(
                    "raw-row-lock-barrier",
                    bareRowLock(RawRowLock.Statements.PAST_BARRIER),
                    DATABASE,
                    PREPARES,
                    VARIANT),
            new Contender("raw-get-lock", RawGetLock::new, DATABASE, WAITING),
            new Contender(
                    "reentrant-lock-fair", (servers, threads) -> new FairReentrantLocks(), WAITING, IN_PROCESS, SHARED),
            new Contender("raw-insert", RawInsert::new, DATABASE),
            new Contender("rowlock-lease", starter("lease"), DATABASE, WAITING, SHARED),
            new Contender(
                    "rowlock-lease-metered",
                    (servers, threads) -> StarterLocks.metered(servers, threads, "lease"),
                    DATABASE,
                    WAITING,
                    SHARED,
                    VARIANT),
            new Contender("rowlock-lease-bare", RowlockLocks::new, DATABASE, WAITING, SHARED, VARIANT),
            new Contender(
                    "rowlock-lease-tls",
                    (servers, threads) -> StarterLocks.onDatabase(servers.encrypted(), threads, "lease"),
                    DATABASE),
            new Contender(
                    "rowlock-lease-mariadb-driver",
                    (servers, threads) -> StarterLocks.onDatabase(servers.throughMariaDbDriver(), threads, "lease"),
                    DATABASE),
            new Contender("rowlock-row-lock", starter("row-lock"), DATABASE, WAITING, SHARED),
            new Contender(
                    "rowlock-row-lock-unlogged",
                    (servers, threads) -> StarterLocks.unlogged(servers, threads, "row-lock"),
                    DATABASE,
                    VARIANT),
            new Contender(
                    "rowlock-row-lock-tls",
                    (servers, threads) -> StarterLocks.onDatabase(servers.encrypted(), threads, "row-lock"),
                    DATABASE),
            new Contender("rowlock-unique-key", starter("unique-key"), DATABASE, WAITING),
            new Contender("shedlock", ShedlockLocks::new, DATABASE, WAITING),
            new Contender("spring-integration-jdbc", SpringIntegrationLocks::new, DATABASE, WAITING),
            new Contender("rowlock-redis", (servers, threads) -> StarterLocks.onRedis(servers), REDIS, WAITING, SHARED),
            new Contender(
                    "redisson",
                    (servers, threads) -> new RedissonLocks(servers, threads, RedissonClient::getLock),
                    REDIS,
                    WAITING,
                    SHARED),
            new Contender(
                    "redisson-fair",
                    (servers, threads) -> new RedissonLocks(servers, threads, RedissonClient::getFairLock),
                    REDIS,
                    WAITING),
            new Contender(
                    "spring-integration-redis",
                    (servers, threads) -> new SpringIntegrationRedisLocks(servers),
                    REDIS,
                    WAITING));

    private Contenders() {}

    private static Contender.Opening bareRowLock(RawRowLock.Statements statements) {
        return (servers, threads) -> new RawRowLock(servers, threads, statements);
    }

    private static Contender.Opening starter(String strategy) {
        return (servers, threads) -> StarterLocks.onDatabase(servers, threads, strategy);
    }

    /** @return all of them */
    public static List<Contender> all() {
        return ALL;
    }

    /**
     * @param name a contender's name
     * @return that contender
     * @throws IllegalArgumentException if there is none of this name
     */
    public static Contender named(String name) {
        return ALL.stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no contender \"%s\", only %s"
                        .formatted(name, ALL.stream().map(Contender::name).toList())));
    }
}
