package io.rowlock.sample;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;

/**
 * Three workers that share sixteen partitions, and elect one of them coordinator. They share the database and nothing else.
 * None runs before {@link #start}. Thread-safe.
 */
@Service
@ConditionalOnWebApplication
class Cluster implements DisposableBean {

    static final List<String> NAMES = List.of("worker-1", "worker-2", "worker-3");

    private static final String OWNERS = """
            SELECT lock_key, owner
            FROM rowlock_locks_held
            WHERE lock_key LIKE 'partition:%'
            """;

    private final JdbcConnectionDetails database;
    private final JdbcClient jdbc;
    private final Pace pace;
    private final Map<String, Worker> workers = new LinkedHashMap<>();

    @Autowired
    Cluster(JdbcConnectionDetails database, JdbcClient jdbc) {
        this(database, jdbc, Pace.TO_WATCH);
    }

    Cluster(JdbcConnectionDetails database, JdbcClient jdbc, Pace pace) {
        this.database = database;
        this.jdbc = jdbc;
        this.pace = pace;
    }

    /** Starts every worker that does not run. A paused one stays paused. */
    void start() {
        NAMES.forEach(this::start);
    }

    /** Starts a worker anew that was stopped or killed, or never started. */
    synchronized void start(String name) {
        if (!NAMES.contains(name)) {
            throw unknown(name);
        }
        Worker present = workers.get(name);
        if (present == null || present.state().condition().isOver()) {
            workers.put(name, new Worker(name, database, pace));
        }
    }

    void stop(String name) {
        worker(name).stop();
    }

    void kill(String name) {
        worker(name).kill();
    }

    void pause(String name) {
        worker(name).pause();
    }

    void resume(String name) {
        worker(name).resume();
    }

    private synchronized Worker worker(String name) {
        Worker worker = workers.get(name);
        if (worker == null) {
            throw unknown(name);
        }
        return worker;
    }

    private static BadInputException unknown(String name) {
        return new BadInputException("There is no worker \"%s\".".formatted(name));
    }

    /** What the workers that were ever started think of themselves. */
    synchronized List<WorkerState> workers() {
        return workers.values().stream().map(Worker::state).toList();
    }

    /** Who has which partition, as the database shows it. */
    SortedMap<Integer, String> owners() {
        SortedMap<Integer, String> owners = new TreeMap<>();
        jdbc.sql(OWNERS)
                .query((row, number) -> owners.put(PartitionShare.numberOf(row.getString(1)), row.getString(2)))
                .list();
        return owners;
    }

    @Override
    public synchronized void destroy() {
        workers.values().forEach(Worker::stop);
    }
}
