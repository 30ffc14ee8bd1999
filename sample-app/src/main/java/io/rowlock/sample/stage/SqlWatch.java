package io.rowlock.sample.stage;

import com.mysql.cj.MysqlConnection;
import com.mysql.cj.Query;
import com.mysql.cj.interceptors.QueryInterceptor;
import com.mysql.cj.log.Log;
import com.mysql.cj.protocol.Resultset;
import com.mysql.cj.protocol.ServerSession;
import java.util.List;
import java.util.Properties;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Records what a thread sends to the database. The driver calls it for every statement of every pool,
 * by its connection property {@code queryInterceptors}, which the pools for locks inherit from the application's own. Thread-safe.
 */
public final class SqlWatch implements QueryInterceptor {

    private static final int LONGEST = 60;
    private static final ThreadLocal<@Nullable List<String>> recorded = new ThreadLocal<>();

    /** Calls something and adds what it sends from this thread to {@code sql}, in order. */
    public static <T extends @Nullable Object> T record(List<String> sql, Supplier<T> call) {
        List<String> outer = recorded.get();
        recorded.set(sql);
        try {
            return call.get();
        } finally {
            recorded.set(outer);
        }
    }

    @Override
    public QueryInterceptor init(MysqlConnection connection, Properties properties, Log log) {
        return this;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // the driver's signature
    public <T extends Resultset> @Nullable T preProcess(Supplier<String> sql, Query query) {
        List<String> statements = recorded.get();
        if (statements != null && statements.size() < LONGEST) {
            statements.add(SqlText.of(sql.get(), query));
        }
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
