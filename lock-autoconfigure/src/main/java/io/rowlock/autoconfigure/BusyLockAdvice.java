package io.rowlock.autoconfigure;

import io.rowlock.LockInterruptedException;
import io.rowlock.LockLostException;
import io.rowlock.LockNotAcquiredException;
import io.rowlock.LockStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Answers a web request that failed because of a lock with a status that says so, instead of 500: a busy lock with a time after
 * which a retry makes sense, a lost one, and a database that does not answer. The last of all advice: an exception handler of the
 * application wins, and so does the status of an exception of its own. Names neither the key nor the holder nor the server, which are none
 * of a web client's business. Not final, as aspects on exception handlers make a proxy of it.
 */
@ControllerAdvice
@Order(Ordered.LOWEST_PRECEDENCE)
class BusyLockAdvice {
    private static final Logger log = LoggerFactory.getLogger(BusyLockAdvice.class);

    private final int busyStatus;

    /** @param busyStatus the status of the answer if a lock is busy, or 0 to leave all exceptions to others */
    BusyLockAdvice(int busyStatus) {
        this.busyStatus = busyStatus;
    }

    /** @throws LockInterruptedException if the thread was interrupted: nothing is known about the lock */
    @ExceptionHandler(LockNotAcquiredException.class)
    ResponseEntity<ProblemDetail> busy(LockNotAcquiredException busy, Exception thrown) throws Exception {
        leaveItsOwn(thrown);
        if (busy instanceof LockInterruptedException) {
            throw busy;
        }
        // As long as the wait was in vain: a lock that is waited for longer is held longer
        long seconds = Math.max(1, busy.waited().plusMillis(999).toSeconds());
        return ResponseEntity.status(busyStatus)
                .header(HttpHeaders.RETRY_AFTER, Long.toString(seconds))
                .body(ProblemDetail.forStatusAndDetail(
                        HttpStatusCode.valueOf(busyStatus),
                        "What this request needs is in use. Try again in %d s.".formatted(seconds)));
    }

    /** The commit was refused, or the call ended because its lock was lost. */
    @ExceptionHandler(LockLostException.class)
    ResponseEntity<ProblemDetail> lost(LockLostException lost, Exception thrown) throws Exception {
        leaveItsOwn(thrown);
        log.warn("A web request ended without success: {}", lost.getMessage());
        return answer(
                HttpStatus.CONFLICT,
                "Another request may have changed what this one worked on. Find out what was done before you try again.");
    }

    /** The database of the locks could not be asked, so nothing is known about the lock. */
    @ExceptionHandler(LockStoreException.class)
    ResponseEntity<ProblemDetail> outage(LockStoreException outage, Exception thrown) throws Exception {
        leaveItsOwn(thrown);
        log.warn("A web request ended without success: {}", outage.getMessage());
        log.debug("The database of the locks could not be asked", outage);
        return answer(HttpStatus.SERVICE_UNAVAILABLE, "What this request needs cannot be reached. Try again later.");
    }

    /** The application's exception says its status, and has the lock's as its cause: what is thrown again here, others answer. */
    private void leaveItsOwn(Exception thrown) throws Exception {
        if (busyStatus == 0) {
            throw thrown;
        }
        for (Throwable each = thrown; each != null; each = each.getCause()) {
            if (each instanceof ErrorResponse
                    || AnnotatedElementUtils.hasAnnotation(each.getClass(), ResponseStatus.class)) {
                throw thrown;
            }
        }
    }

    private static ResponseEntity<ProblemDetail> answer(HttpStatus status, String detail) {
        return ResponseEntity.status(status).body(ProblemDetail.forStatusAndDetail(status, detail));
    }
}
