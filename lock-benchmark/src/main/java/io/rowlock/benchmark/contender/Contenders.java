package io.rowlock.benchmark.contender;

import static io.rowlock.benchmark.contender.Ability.DATABASE;
import static io.rowlock.benchmark.contender.Ability.HISTORY;
import static io.rowlock.benchmark.contender.Ability.IN_PROCESS;
import static io.rowlock.benchmark.contender.Ability.REDIS;
import static io.rowlock.benchmark.contender.Ability.SHARED;
import static io.rowlock.benchmark.contender.Ability.WAITING;

import java.util.List;
import org.redisson.api.RedissonClient;

/** All contenders, in the order in which they are shown. */
public final class Contenders {
    private static final List<Contender> ALL = List.of(
            new Contender("raw-lease", RawLease::new, DATABASE),
            new Contender("raw-row-lock", RawRowLock::new, DATABASE, WAITING),
            new Contender("raw-get-lock", RawGetLock::new, DATABASE, WAITING),
            new Contender("reentrant-lock-fair", (servers, threads) -> new FairReentrantLocks(), WAITING, IN_PROCESS),
            new Contender("rowlock-lease", RowlockLocks::lease, DATABASE, WAITING, SHARED),
            new Contender(
                    "rowlock-lease-tls",
                    (servers, threads) -> RowlockLocks.lease(servers.encrypted(), threads),
                    DATABASE),
            new Contender(
                    "rowlock-lease-mariadb-driver",
                    (servers, threads) -> RowlockLocks.lease(servers.throughMariaDbDriver(), threads),
                    DATABASE),
            new Contender("rowlock-lease-logged", RowlockLocks::loggedLease, DATABASE, WAITING, SHARED, HISTORY),
            new Contender("rowlock-row-lock", RowlockLocks::rowLock, DATABASE, WAITING, SHARED),
            new Contender(
                    "rowlock-row-lock-tls",
                    (servers, threads) -> RowlockLocks.rowLock(servers.encrypted(), threads),
                    DATABASE),
            new Contender("rowlock-row-lock-fenced", RowlockLocks::fencedRowLock, DATABASE, WAITING, SHARED),
            new Contender("rowlock-unique-key", RowlockLocks::uniqueKey, DATABASE, WAITING),
            new Contender("shedlock", ShedlockLocks::new, DATABASE, WAITING),
            new Contender("spring-integration-jdbc", SpringIntegrationLocks::new, DATABASE, WAITING),
            new Contender(
                    "rowlock-redis", (servers, threads) -> new RowlockRedisLocks(servers), REDIS, WAITING, SHARED),
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
