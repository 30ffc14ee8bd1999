package io.rowlock.autoconfigure.web;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockNotAcquiredException;
import java.time.Duration;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;

/**
 * Answers a web request that needs a busy lock with a status and the time after which a retry makes sense, instead of 500. The
 * last of all advice: an exception handler of the application wins. Names neither the key nor the holder, which are none of a
 * web client's business.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
public final class BusyLockAdvice {
    private final HttpStatusCode status;

    /** @param status the status of the answer */
    public BusyLockAdvice(int status) {
        this.status = HttpStatusCode.valueOf(status);
    }

    /** @throws LockInterruptedException if the thread was interrupted: nothing is known about the lock */
    @ExceptionHandler
    ResponseEntity<ProblemDetail> busy(LockNotAcquiredException busy) {
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        long seconds = retryAfter(busy.waited());
        return ResponseEntity.status(status)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(ProblemDetail.forStatusAndDetail(
                        status, "What this request needs is in use. Try again in %d s.".formatted(seconds)));
    }

    /** As long as the wait was in vain: a lock that is waited for longer is held longer. */
    private static long retryAfter(Duration waited) {
        return Math.max(1, waited.plusMillis(999).toSeconds());
    }
}
