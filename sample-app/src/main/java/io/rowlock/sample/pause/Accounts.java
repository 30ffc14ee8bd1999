package io.rowlock.sample.pause;

import io.rowlock.annotation.DistributedLock;
import org.springframework.context.annotation.Profile;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pays money out of accounts, on every node. */
@Service
@Profile("node")
class Accounts {

    private final Ledger ledger;

    Accounts(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Withdraws, under the account's lock. If the lock is lost before the commit, because its node stood still for longer
     * than the ttl, the commit is refused.
     */
    @DistributedLock(name = "account", key = "#accountId", ttl = "3s", waitTime = "1m")
    @Transactional
    public void withdraw(long accountId, long cents) {
        ledger.payOut(accountId, cents);
    }

    /** The same without the lock. */
    @Transactional
    public void withdrawWithoutLock(long accountId, long cents) {
        ledger.payOut(accountId, cents);
    }
}
