package io.rowlock.sample.pause;

import io.rowlock.annotation.DistributedLock;
import io.rowlock.sample.stage.Servers;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pays money out of accounts under locks in Redis, where there is one: without it their strategy would stop the startup. */
@Service
@ConditionalOnBooleanProperty(Servers.REDIS_ENABLED)
class RedisAccounts {

    private final Ledger ledger;

    RedisAccounts(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Withdraws, under a lock in Redis. If it is lost before the commit, the commit is refused all the same: by this process,
     * or, if it does not know of the loss, by a table of tokens beside the accounts.
     */
    @DistributedLock(name = "account-in-redis", key = "#accountId", ttl = "3s", waitTime = "1m", strategy = "redis")
    @Transactional
    public long withdraw(long accountId, long cents) {
        return ledger.payOut(accountId, cents);
    }
}
