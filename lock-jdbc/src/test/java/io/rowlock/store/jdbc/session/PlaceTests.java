package io.rowlock.store.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.RETURNS_DEEP_STUBS;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.rowlock.store.jdbc.session.TransactionConnection.Place;
import java.sql.Connection;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;

class PlaceTests {
    @Test
    void schemaOfThatNameOnAnotherServerIsAnotherPlace() throws SQLException {
        assertThat(place("jdbc:mysql://a/shop")).isEqualTo(place("jdbc:mysql://a/shop"));
        assertThat(place("jdbc:mysql://a/shop")).isNotEqualTo(place("jdbc:mysql://b/shop"));
    }

    @Test
    void urlIsNotShown() throws SQLException {
        assertThat(place("jdbc:mysql://a/shop?password=secret"))
                .hasToString("schema shop of a MySQL server")
                .asString()
                .doesNotContain("secret");
    }

    private static Place place(String url) throws SQLException {
        Connection connection = mock(RETURNS_DEEP_STUBS);
        when(connection.getMetaData().getDatabaseProductName()).thenReturn("MySQL");
        when(connection.getMetaData().getURL()).thenReturn(url);
        when(connection.getCatalog()).thenReturn("shop");
        return Place.of(connection);
    }
}
