package io.rowlock.sample.pause;

import io.rowlock.annotation.DistributedLock;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Pays money out of accounts. */
@Service
class Accounts {

    private final Ledger ledger;

    Accounts(Ledger ledger) {
        this.ledger = ledger;
    }

    /**
     * Withdraws, under the account's lock. If the lock is lost before the commit, because its node stood still for longer
     * than the ttl, the commit is refused.
     *
     * @return the balance that is left
     */
    @DistributedLock(name = "account", key = "#accountId", ttl = "3s", waitTime = "1m")
    @Transactional
    public long withdraw(long accountId, long cents) {
        return ledger.payOut(accountId, cents);
    }

    /** Withdraws without the lock. */
    @Transactional
    public long withdrawWithoutLock(long accountId, long cents) {
        return ledger.payOut(accountId, cents);
    }
}
