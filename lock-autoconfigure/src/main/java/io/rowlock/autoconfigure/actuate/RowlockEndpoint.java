package io.rowlock.autoconfigure.actuate;

import io.rowlock.Printable;
import io.rowlock.client.admin.LockAdmin;
import io.rowlock.store.LockLog.LogRow;
import java.security.Principal;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.DeleteOperation;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/**
 * Actuator endpoint {@code rowlock}: the locks that are held, those of one key, and their release by force. The path of a key
 * is the key itself, with its slashes; one that a path cannot say is passed as parameter {@code key}. Nothing can be released
 * unless {@code management.endpoint.rowlock.access} is {@code unrestricted}.
 *
 * @param admin the locks
 */
@Endpoint(id = "rowlock", defaultAccess = Access.READ_ONLY)
record RowlockEndpoint(LockAdmin admin) {
    private static final int LOG_ROWS = 20;

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> locks(
            @Nullable String key, @Nullable String prefix, @Nullable String after, @Nullable Integer limit) {
        return Answers.of(() -> key == null ? page(prefix, after, limit) : oneKey(key));
    }

    private WebEndpointResponse<OperationResponseBody> page(
            @Nullable String prefix, @Nullable String after, @Nullable Integer limit) {
        LockAdmin.Page page = admin.page(prefix == null ? "" : prefix, after, Answers.limit(limit));
        return new WebEndpointResponse<>(new EndpointBodies.Locks(page.locks(), page.next(), admin.node()));
    }

    @ReadOperation
    WebEndpointResponse<OperationResponseBody> lock(@Selector(match = Selector.Match.ALL_REMAINING) String[] keyPath) {
        return Answers.of(() -> oneKey(String.join("/", keyPath)));
    }

    private WebEndpointResponse<OperationResponseBody> oneKey(String key) {
        List<LockAdmin.Held> holders = admin.holders(key);
        List<LogRow> log = admin.history(key, null, null, null, LOG_ROWS);
        int waiters = admin.waiting(key);
        if (holders.isEmpty() && log.isEmpty() && waiters == 0) {
            return unknown(key);
        }
        return new WebEndpointResponse<>(new EndpointBodies.OneKey(key, holders, waiters, log));
    }

    @DeleteOperation
    WebEndpointResponse<OperationResponseBody> release(
            SecurityContext security,
            @Selector(match = Selector.Match.ALL_REMAINING) String[] keyPath,
            @Nullable String key,
            @Nullable String reason) {
        return Answers.of(() -> release(one(String.join("/", keyPath), key), security, reason));
    }

    /** Rules of access and logs of it know the path alone. */
    private static String one(String ofPath, @Nullable String key) {
        if (key != null && !ofPath.isEmpty() && !ofPath.equals(key)) {
            throw new IllegalArgumentException("The path names the lock \"%s\", and the parameter \"key\" names \"%s\""
                    .formatted(Printable.of(ofPath), Printable.of(key)));
        }
        return key == null ? ofPath : key;
    }

    private WebEndpointResponse<OperationResponseBody> release(
            String key, SecurityContext security, @Nullable String reason) {
        if (key.isEmpty()) {
            throw new IllegalArgumentException("Which lock? Its key is missing, in the path or as parameter \"key\"");
        }
        Principal principal = security.getPrincipal();
        String by = principal == null ? "an unauthenticated user" : principal.getName();
        String why = reason == null || reason.isBlank() ? "no reason given" : reason;
        return admin.release(key, by, why).isEmpty()
                ? unknown(key)
                : new WebEndpointResponse<>(WebEndpointResponse.STATUS_NO_CONTENT);
    }

    private static WebEndpointResponse<OperationResponseBody> unknown(String key) {
        return Answers.problem(
                "\"%s\" is not held. Row locks of other nodes are visible only with the right to read data_locks and threads of performance_schema"
                        .formatted(Printable.of(key)),
                WebEndpointResponse.STATUS_NOT_FOUND);
    }
}
