package io.rowlock.store.jdbc.log;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockMode;
import io.rowlock.store.Lease;
import io.rowlock.store.LogFilter;
import io.rowlock.store.LogRow;
import io.rowlock.store.jdbc.LockDatabase;
import io.rowlock.store.jdbc.TablePrefix;
import io.rowlock.test.OnEachServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@OnEachServer(dependsOnServer = true)
class LogTableTests {
    private final AtomicLong nanos = new AtomicLong();
    private final LogEntry grant = new LogEntry(
            "lease", new Lease("key", LockMode.EXCLUSIVE, 0, 1, "me"), 1, Duration.ZERO, nanos::get, changed -> {});
    private LogTable table;

    @BeforeEach
    void open(DataSource dataSource) {
        table = new LogTable(new LockDatabase(dataSource, Duration.ofSeconds(3), false), new TablePrefix("rowlock_"));
    }

    /** What was written before took longer to arrive, so that its times are later than they were. */
    @Test
    void noTimeIsBeforeOneThatWasWrittenBefore() {
        write();
        grant.completed();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        write();
        assertThat(row().completedAt()).isEqualTo(row().acquiredAt());
        grant.released();
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        write();
        assertThat(row().releasedAt()).isEqualTo(row().completedAt());
    }

    @Test
    void rowKeepsTheDistanceOfWhatIsWrittenAtOnce() throws Exception {
        write();
        grant.completed();
        nanos.addAndGet(1_000_000);
        grant.released();
        TimeUnit.MILLISECONDS.sleep(10); // so that a millisecond before the next write is after the first one
        write();
        LogRow row = row();
        assertThat(row.completedAt()).isAfter(row.acquiredAt());
        assertThat(row.releasedAt()).isEqualTo(row.completedAt().plusMillis(1));
    }

    private void write() {
        table.write(List.of(grant.snapshot()));
    }

    /** The latest. */
    private LogRow row() {
        return table.history.find(new LogFilter("", "key", null, null, null, 1)).get(0);
    }
}
