package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockStoreException;
import io.rowlock.store.UncertainOutcomeException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransientConnectionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SqlFailureTests {

    @ParameterizedTest
    @CsvSource({
        "1213, 40001, CONFLICT", // deadlock
        "1665, HY000, BINARY_LOG", // binlog_format=STATEMENT
        "1153, 08S01, TOO_LONG", // max_allowed_packet
        "1020, HY000, CONFLICT", // MariaDB: changed since the snapshot
        "3101, 40000, CONFLICT", // group replication: rolled back at commit
        "1047, 08S01, NOT_PRIMARY", // Galera: the majority is gone
        "1180, HY000, NO_ANSWER", // during a commit
        "1598, HY000, NO_ANSWER", // the binary log failed during a commit
        "2006, HY000, NO_ANSWER", // a proxy has lost the server
        "2013, HY000, NO_ANSWER",
        "1205, HY000, ROW_LOCKED", // lock wait time-out
        "3572, HY000, ROW_LOCKED", // NOWAIT
        "1062, 23000, DUPLICATE",
        "1290, HY000, READ_ONLY",
        "1792, 25006, READ_ONLY",
        "1836, HY000, READ_ONLY",
        "1146, 42S02, NO_TABLE",
        "1049, 42000, NO_TABLE",
        "1142, 42000, NO_RIGHTS",
        "1095, HY000, NO_RIGHTS", // KILL of another user's session
        "1045, 28000, NO_RIGHTS",
        "1317, 70100, NO_ANSWER", // killed
        "3024, HY000, NO_ANSWER",
        "1969, 70100, NO_ANSWER",
        "1927, 70100, NO_ANSWER",
        "1053, 08S01, NO_ANSWER", // shutdown
        "0, 08S01, NO_ANSWER",
        "0, 25S03, NO_ANSWER", // MariaDB's driver has opened another connection
        "1406, 22001, OTHER",
        "0, , OTHER"
    })
    void errorNumberTellsTheFailure(int code, String state, SqlFailure failure) {
        assertThat(SqlFailure.of(new SQLException("told", state, code))).isEqualTo(failure);
    }

    @Test
    void deadlockThatGaleraFindsWhileItCommitsIsAConflict() {
        SQLException error =
                new SQLException("Got error 149 \"Lock deadlock; Retry transaction\" during COMMIT", "HY000", 1180);
        assertThat(SqlFailure.of(error)).isEqualTo(SqlFailure.CONFLICT);
    }

    @Test
    void failureWithoutANumberIsToldByItsType() {
        assertThat(SqlFailure.of(new SQLTimeoutException("slow"))).isEqualTo(SqlFailure.NO_ANSWER);
        assertThat(SqlFailure.of(new SQLRecoverableException("gone"))).isEqualTo(SqlFailure.NO_ANSWER);
    }

    @ParameterizedTest
    @CsvSource({
        "1213, io.rowlock.store.jdbc.session.RowLockedException",
        "1047, io.rowlock.LockStoreException",
        "1205, io.rowlock.store.jdbc.session.RowLockedException",
        "1317, io.rowlock.store.UncertainOutcomeException",
        "1792, io.rowlock.LockStoreException"
    })
    void exceptionKeepsTheDriversErrorAndItsWords(int code, Class<?> type) {
        SQLException error = new SQLException("the driver's words", "HY000", code);
        LockStoreException exception = SqlFailure.of(error).exception(error);
        assertThat(exception).isExactlyInstanceOf(type).hasCause(error).hasMessageContaining("the driver's words");
    }

    /** The disk is full, for example. */
    @Test
    void errorDuringACommitIsNotTakenForSilenceAlone() {
        SQLException error = new SQLException("Got error 28 during COMMIT", "HY000", 1180);
        assertThat(SqlFailure.of(error).exception(error))
                .hasMessageContaining("or one that leaves the outcome open")
                .hasMessageContaining("Got error 28 during COMMIT");
    }

    @Test
    void failureToConnectIsNeverUncertain() {
        SQLException exhausted = new SQLTransientConnectionException("not available");
        SQLException refused = new SQLTransientConnectionException(
                "not available", new SQLRecoverableException("link", new ConnectException("refused")));
        assertThat(SqlFailure.connecting(exhausted, "raise rowlock.pool.size"))
                .isNotInstanceOf(UncertainOutcomeException.class)
                .hasMessageContaining("rowlock.pool.size");
        assertThat(SqlFailure.connecting(refused, "raise rowlock.pool.size"))
                .isNotInstanceOf(UncertainOutcomeException.class)
                .hasMessageContaining("cannot be reached")
                .hasMessageContaining("refused");
    }

    /** The driver of MySQL gives what a server answers to a cancelled statement no number. */
    @Test
    void cancelledStatementIsAnsweredAndABrokenConnectionIsNot() {
        assertThat(SqlFailure.isAnswer(new SQLException("Statement cancelled due to client request")))
                .isTrue();
        assertThat(SqlFailure.isAnswer(new SQLException("Query execution was interrupted", "70100", 1317)))
                .isTrue();
        assertThat(SqlFailure.isAnswer(new SQLException("Communications link failure", "08S01")))
                .isFalse();
        assertThat(SqlFailure.isAnswer(new SQLException("Lost connection to server during query", "HY000", 2013)))
                .isFalse();
    }
}
