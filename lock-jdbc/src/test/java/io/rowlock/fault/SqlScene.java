package io.rowlock.fault;

import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.memory.InMemoryLockStore;
import java.util.List;

/** The tables of one run, and pools of the subject that lead through the proxy. */
final class SqlScene implements Scene {
    private final Place place;
    private final Pools own;
    private final Pools others;
    private final Account account;
    private final Runnable end;
    private final Program subject;

    /** Where the locks of a run are. */
    record Place(SqlSetup setup, String key, TablePrefix prefix, InMemoryLockStore elsewhere) {
        Program program(String name, Pools pools) {
            return new SqlProgram(name + "-" + key, setup, prefix, pools, elsewhere);
        }
    }

    /**
     * @param own pools of the subject
     * @param others pools of all others
     * @param end gives back what the run has used
     */
    SqlScene(Place place, Pools own, Pools others, Account account, Runnable end) {
        this.place = place;
        this.own = own;
        this.others = others;
        this.account = account;
        this.end = end;
        this.subject = place.program("subject", own);
    }

    @Override
    public Program subject() {
        return subject;
    }

    @Override
    public Program other(String name) {
        return place.program(name, others);
    }

    Account account() {
        return account;
    }

    @Override
    public List<String> leaks() {
        return own.leaks();
    }

    @Override
    public void judge(Judge judge) {
        account.judge(place.key(), judge);
    }

    @Override
    public void close() {
        own.close();
        end.run();
    }
}
