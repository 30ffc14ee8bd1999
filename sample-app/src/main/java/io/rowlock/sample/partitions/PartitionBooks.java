package io.rowlock.sample.partitions;

import io.rowlock.sample.watch.Sight;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.context.annotation.Profile;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** Who has which partition, as the database shows it. */
@Repository
@Profile("!node")
class PartitionBooks implements Sight {

    private static final String OWNERS = """
            SELECT lock_key, SUBSTRING_INDEX(owner, '#', 1)
            FROM rowlock_locks_held
            WHERE lock_key LIKE 'partition:%'
            """;

    private final JdbcClient database;

    PartitionBooks(JdbcClient database) {
        this.database = database;
    }

    /** The nodes that have them, by the number of the partition. */
    SortedMap<Integer, String> owners() {
        SortedMap<Integer, String> owners = new TreeMap<>();
        database.sql(OWNERS).query(row -> {
            owners.put(PartitionShare.numberOf(row.getString(1)), row.getString(2));
        });
        return owners;
    }

    @Override
    public String topic() {
        return "partitions";
    }

    @Override
    public Object look() {
        return owners();
    }
}
