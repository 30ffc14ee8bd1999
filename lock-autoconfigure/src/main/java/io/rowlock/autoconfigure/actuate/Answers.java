package io.rowlock.autoconfigure.actuate;

import io.rowlock.LockStoreException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

/** The answers of endpoints to questions that cannot be answered, and to a limit that is not given. */
final class Answers {
    private static final int USUAL_LIMIT = 100;

    private Answers() {}

    static WebEndpointResponse<OperationResponseBody> of(
            Supplier<WebEndpointResponse<OperationResponseBody>> question) {
        try {
            return question.get();
        } catch (IllegalArgumentException e) {
            return problem(String.valueOf(e.getMessage()), WebEndpointResponse.STATUS_BAD_REQUEST);
        } catch (LockStoreException e) {
            return problem(String.valueOf(e.getMessage()), WebEndpointResponse.STATUS_SERVICE_UNAVAILABLE);
        }
    }

    static WebEndpointResponse<OperationResponseBody> problem(String sentence, int status) {
        return new WebEndpointResponse<>(new EndpointBodies.Problem(sentence), status);
    }

    static int limit(@Nullable Integer limit) {
        return limit == null ? USUAL_LIMIT : limit;
    }
}
