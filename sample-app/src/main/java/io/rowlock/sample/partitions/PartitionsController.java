package io.rowlock.sample.partitions;

import io.rowlock.sample.stage.Sight;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** {@code GET /partitions}: the nodes that have them, by the number of the partition. */
@RestController("partitions")
class PartitionsController implements Sight {

    private static final String OWNERS = """
            SELECT SUBSTRING(lock_key, 11), SUBSTRING_INDEX(owner, '#', 1)
            FROM rowlock_locks_held
            WHERE lock_key LIKE 'partition:%'
            """;

    private final JdbcClient database;

    PartitionsController(JdbcClient database) {
        this.database = database;
    }

    @GetMapping("/partitions")
    @Override
    public SortedMap<Integer, String> look() {
        SortedMap<Integer, String> owners = new TreeMap<>();
        database.sql(OWNERS).query(row -> {
            owners.put(row.getInt(1), row.getString(2));
        });
        return owners;
    }
}
