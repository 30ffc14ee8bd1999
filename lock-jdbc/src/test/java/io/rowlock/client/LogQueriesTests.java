package io.rowlock.client;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.test.OnEachServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The queries of the lock log in the documentation find what they say. */
@OnEachServer
class LogQueriesTests extends ClientContract {
    private static final Pattern SQL = Pattern.compile("```sql\n(.*?);\n```", Pattern.DOTALL);

    @Test
    void everyStatementOfTheDocumentationFindsWhatItSays() throws IOException {
        Node logged = closing(new Node(Pools.locks(schema), "logged", Node.Logging.ASYNC));
        HeldLock lock = logged.take("order:42");
        await().until(() ->
                !table.sql.queryForList("SELECT id FROM rowlock_lock_log").isEmpty());
        table.sql.update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 10 MINUTE");
        table.sql.update(
                "INSERT INTO rowlock_lock_log (lock_key, strategy, mode, owner, fence, status, acquired_at, waited_micros)"
                        + " VALUES ('other', 'lease', 'SHARED', 'dead', 1, 'LOST', UTC_TIMESTAMP(6), 2000000)");
        List<String> statements = SQL.matcher(Files.readString(Path.of("..", "docs", "log.md"), UTF_8))
                .results()
                .map(MatchResult::group)
                .map(block -> block.replaceAll("```(sql)?\n?|;\n", ""))
                .toList();
        List<String> owners = statements.stream()
                .map(sql -> (String) table.sql.queryForList(sql).get(0).get("owner"))
                .toList();
        assertThat(owners).containsExactly("logged", "logged", "logged", "dead", "dead");
        lock.close();
    }
}
