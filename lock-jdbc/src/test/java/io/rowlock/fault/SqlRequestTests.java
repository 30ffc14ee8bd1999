package io.rowlock.fault;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SqlRequestTests {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "UPDATE rowlock_lock SET owner = ?",
                "SELECT slot FROM rowlock_row WHERE lock_key = ? FOR UPDATE NOWAIT",
                "SELECT slot FROM rowlock_row WHERE lock_key = ? FOR SHARE NOWAIT",
                "SELECT slot FROM rowlock_row WHERE lock_key = ? LOCK IN SHARE MODE",
                "SELECT GET_LOCK(?, ?)",
                "SELECT RELEASE_LOCK(CONCAT('rowlock:', ?))",
                "START TRANSACTION; SET @rowlock_now = 1; SELECT 1",
                "SET autocommit=1",
                "COMMIT",
                "ROLLBACK"
            })
    void statementThatTakesOrChangesSomethingMeetsEveryFault(String sql) {
        SqlRequest request = SqlRequest.of(SqlRequest.Kind.QUERY, sql);
        assertThat(request.faults()).isEqualTo(request.allFaults());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "SELECT owner FROM rowlock_lock WHERE lock_key = ? AND slot = 0",
                "SELECT IS_FREE_LOCK(?)",
                "SHOW SESSION VARIABLES",
                "SET autocommit=0",
                "START TRANSACTION"
            })
    void statementThatOnlyReadsMeetsSilenceAndTheEndOfItsSession(String sql) {
        assertThat(SqlRequest.of(SqlRequest.Kind.QUERY, sql).faults())
                .containsExactly(Fault.ANSWER_LOST, Fault.SESSION_KILLED_BEFORE);
    }
}
