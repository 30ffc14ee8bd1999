package io.rowlock.benchmark.server;

/**
 * What work cost.
 *
 * @param statements how many statements the server executed, commits and session settings included, but not pings and
 *     preparations
 * @param fsyncs how often InnoDB had the disk flushed; the binary log's flushes are not counted
 * @param clientMicros CPU time of this process
 * @param serverMicros CPU time of the database's process; NaN if it runs elsewhere
 * @param redisMicros CPU time of the process of Redis; NaN if there is none, or if it runs elsewhere
 */
public record Usage(long statements, long fsyncs, double clientMicros, double serverMicros, double redisMicros) {
    /** @return what came on top of an earlier reading */
    public Usage since(Usage earlier) {
        return new Usage(
                statements - earlier.statements,
                fsyncs - earlier.fsyncs,
                clientMicros - earlier.clientMicros,
                serverMicros - earlier.serverMicros,
                redisMicros - earlier.redisMicros);
    }
}
