package io.rowlock.stress;

import com.mysql.cj.jdbc.JdbcConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** A pool that knows the server's ids of its sessions, so that they can be killed. */
final class Sessions extends DelegatingDataSource {
    private final Set<Long> ids = ConcurrentHashMap.newKeySet();

    Sessions(DataSource pool) {
        super(pool);
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        ids.add(connection.unwrap(JdbcConnection.class).getSession().getThreadId());
        return connection;
    }

    List<Long> ids() {
        return List.copyOf(ids);
    }

    void forget(long id) {
        ids.remove(id);
    }
}
