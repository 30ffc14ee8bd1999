package io.rowlock.autoconfigure.actuate;

import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.LockLog.LogRow;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Actuator endpoint {@code rowlockhistory}: past grants in the lock log. */
@Endpoint(id = "rowlockhistory")
record RowlockHistoryEndpoint(LockAdmin locks) {
    /** The earliest time that a column can hold, with a margin for the time zone of the server. */
    private static final Instant EARLIEST = Instant.parse("1970-01-02T00:00:00Z");

    private static final Instant LATEST = Instant.parse("9998-12-31T00:00:00Z");

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> history(
            @Nullable Instant from,
            @Nullable Instant to,
            @Nullable String key,
            @Nullable String owner,
            @Nullable Integer limit) {
        return Answers.of(() -> {
            List<LogRow> log =
                    locks.history(key, owner, possible("from", from), possible("to", to), Answers.limit(limit));
            return new WebEndpointResponse<>(new EndpointBodies.History(log));
        });
    }

    private static @Nullable Instant possible(String parameter, @Nullable Instant time) {
        if (time != null && (time.isBefore(EARLIEST) || time.isAfter(LATEST))) {
            throw new IllegalArgumentException(
                    "The parameter \"%s\" is \"%s\", but %s to %s are possible; leave it out for no limit"
                            .formatted(parameter, time, EARLIEST, LATEST));
        }
        return time;
    }
}
