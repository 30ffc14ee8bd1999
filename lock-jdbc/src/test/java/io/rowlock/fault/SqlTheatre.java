package io.rowlock.fault;

import io.rowlock.store.jdbc.session.TablePrefix;
import io.rowlock.store.memory.InMemoryLockStore;
import io.rowlock.test.database.TestSchema;
import java.io.IOException;
import java.time.Duration;

/** One server for all runs, whose keys differ. */
final class SqlTheatre implements Theatre {
    private static final int SHARED_CONNECTIONS = 100;

    private final Sessions sessions;
    private final FaultProxy proxy;
    private final Pools others;
    private final Tables tables;
    private final Account account;

    SqlTheatre(TestSchema schema) throws IOException {
        sessions = new Sessions(schema);
        proxy = new FaultProxy(schema, sessions::kill);
        others = new Pools("others", schema, "", SHARED_CONNECTIONS, Stage.LONG);
        tables = new Tables(sessions.sql);
        account = new Account(sessions.sql);
    }

    @Override
    public Scene begin(Scenario scenario, String key, FaultPlan plan, Duration patience) throws InterruptedException {
        SqlSetup setup = (SqlSetup) scenario.setup();
        TablePrefix prefix = scenario.apart() ? tables.apart() : tables.common(setup.locks(), key);
        Pools pools = new Pools("subject " + key, proxy.schema(), proxy.begin(key, plan), 8, patience);
        return new SqlScene(
                new SqlScene.Place(setup, key, prefix, new InMemoryLockStore()), pools, others, account, () -> {
                    proxy.end(key, plan);
                    tables.giveBack(prefix);
                });
    }

    @Override
    public void close() {
        others.close();
        proxy.close();
        sessions.close();
    }
}
