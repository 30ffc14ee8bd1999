package io.rowlock.autoconfigure.actuate;

import io.rowlock.Printable;
import io.rowlock.client.admin.LockAdmin;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** Actuator endpoint {@code rowlockhistory}: past grants in the lock log. */
@Endpoint(id = "rowlockhistory")
public final class RowlockHistoryEndpoint {
    private final LockAdmin locks;

    public RowlockHistoryEndpoint(LockAdmin locks) {
        this.locks = locks;
    }

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> history(
            @Nullable String from,
            @Nullable String to,
            @Nullable String key,
            @Nullable String owner,
            @Nullable String limit) {
        return Answers.of(() -> {
            List<EndpointBodies.Grant> log =
                    locks.history(key, owner, time("from", from), time("to", to), Answers.limit(limit)).stream()
                            .map(EndpointBodies.Grant::of)
                            .toList();
            return new WebEndpointResponse<>(new EndpointBodies.History(log));
        });
    }

    private static @Nullable Instant time(String parameter, @Nullable String text) {
        try {
            return text == null ? null : Instant.parse(text);
        } catch (DateTimeParseException e) {
            throw new IllegalArgumentException(
                    "The parameter \"%s\" is \"%s\", but a time such as 2026-01-31T09:30:00Z is expected"
                            .formatted(parameter, Printable.of(text)),
                    e);
        }
    }
}
