package io.rowlock.autoconfigure.outage;

import io.rowlock.autoconfigure.application.FreshSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A row of the lock log, and how all of them differ from the events. */
record LogRow(TokenAccount.Id id, String status) {
    static List<LogRow> of(FreshSchema schema, String owner) {
        return schema.jdbc()
                .query(
                        "SELECT strategy, lock_key, fence, status FROM rowlock_lock_log WHERE owner = ?",
                        (row, number) -> new LogRow(
                                new TokenAccount.Id(row.getString(1), row.getString(2), row.getLong(3)),
                                row.getString(4)),
                        owner);
    }

    /** Makes all rows old enough for the clean-up to judge them. */
    static void age(FreshSchema schema) {
        schema.jdbc().update("UPDATE rowlock_lock_log SET acquired_at = acquired_at - INTERVAL 1 HOUR");
    }

    /**
     * The difference.
     *
     * @param missing how many grants have no row that says how they ended, or one too many
     * @param invented ends that never were
     */
    record Deviation(long missing, List<String> invented) {}

    static Deviation deviation(Map<TokenAccount.Id, TokenAccount> accounts, List<LogRow> rows) {
        Map<TokenAccount.Id, Map<String, Integer>> logged = new HashMap<>();
        for (LogRow row : rows) {
            logged.computeIfAbsent(row.id(), added -> new HashMap<>()).merge(row.status(), 1, Integer::sum);
        }
        List<String> invented = new ArrayList<>();
        logged.forEach((id, statuses) -> {
            TokenAccount account = accounts.get(id);
            if (account == null
                    || count(statuses, "RELEASED") > account.released()
                    || count(statuses, "LOST") > account.lostGrants()) {
                invented.add("%s has %s, but the events say %s".formatted(id, statuses, account));
            }
        });
        long missing = 0;
        for (Map.Entry<TokenAccount.Id, TokenAccount> each : accounts.entrySet()) {
            missing += missing(each.getValue(), logged.getOrDefault(each.getKey(), Map.of()));
        }
        return new Deviation(missing, invented);
    }

    private static int missing(TokenAccount account, Map<String, Integer> statuses) {
        int all = statuses.values().stream().mapToInt(Integer::intValue).sum();
        return Math.max(0, account.released() - count(statuses, "RELEASED"))
                + Math.max(0, account.lostGrants() - count(statuses, "LOST"))
                + Math.max(0, account.failedReleases() - count(statuses, "HELD"))
                + Math.max(0, all - account.acquired());
    }

    private static int count(Map<String, Integer> statuses, String status) {
        return statuses.getOrDefault(status, 0);
    }
}
