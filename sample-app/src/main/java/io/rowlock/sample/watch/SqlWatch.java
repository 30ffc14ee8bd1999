package io.rowlock.sample.watch;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Sees every statement of every pool: the driver calls it, by its connection property
 * {@code queryInterceptors}, which the pools for locks take over from the application's own.
 */
public final class SqlWatch implements QueryInterceptor {

    @Override
    public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
        return this;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // the driver's signature
    public <T extends Resultset> @Nullable T preProcess(Supplier<String> sql, Query query) {
        SqlTrace.sent(() -> SqlText.of(sql.get(), query));
        return null; // go on
    }

    @Override
    public <T extends Resultset> @Nullable T postProcess(
            Supplier<String> sql, Query query, T result, ServerSession session) {
        return null; // the result as it is
    }

    @Override
    public boolean executeTopLevelOnly() {
        return true;
    }

    @Override
    public void destroy() {}
}
