package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.inOrder;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.mockito.InOrder;

/** The state of a connection before it is used. */
class DeclaredConnectionsTests {
    private final DataSource declared = mock(DataSource.class);
    private final Connection connection = mock(Connection.class);
    private final DeclaredConnections connections = new DeclaredConnections(declared, Duration.ofSeconds(3));

    @BeforeEach
    void connect() throws SQLException {
        when(declared.getConnection()).thenReturn(connection);
        when(connection.createStatement()).thenReturn(mock(Statement.class));
    }

    /** Else a silent network holds up whatever prepares it. A pool may have kept a shorter limit. */
    @Test
    void answersAreLimitedBeforeTheServerIsAsked() throws SQLException {
        assertThat(connections.getConnection()).isSameAs(connection);
        InOrder order = inOrder(connection);
        order.verify(connection).setNetworkTimeout(any(), eq(3_000));
        order.verify(connection).getAutoCommit();
        order.verify(connection).getTransactionIsolation();
        order.verify(connection).createStatement();
    }

    @Test
    void statementsOfTheSchemaTakeAsLongAsTheyTake() throws SQLException {
        assertThat(new DeclaredConnections(connections, Duration.ZERO).getConnection())
                .isSameAs(connection);
        verify(connection).setNetworkTimeout(any(), eq(0));
    }

    @Test
    void connectionThatCouldNotBePreparedIsGivenBackAlsoAfterAnError() throws SQLException {
        when(connection.getTransactionIsolation()).thenThrow(new StackOverflowError());
        assertThatExceptionOfType(StackOverflowError.class).isThrownBy(connections::getConnection);
        verify(connection).close();
    }
}
