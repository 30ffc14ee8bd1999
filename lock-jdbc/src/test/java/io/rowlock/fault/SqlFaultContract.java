package io.rowlock.fault;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.TestSchema;
import org.junit.jupiter.api.BeforeAll;

/** All strategies on a database. */
abstract class SqlFaultContract extends FaultContract {
    SqlFaultContract(int every) {
        super(every);
    }

    @BeforeAll
    void record(TestSchema schema, DatabaseServer server) throws Exception {
        record(new SqlTheatre(schema), SqlScenarios.all(), server.toString());
    }
}
