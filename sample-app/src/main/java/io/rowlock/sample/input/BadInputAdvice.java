package io.rowlock.sample.input;

import io.rowlock.sample.node.NodeException;
import org.springframework.context.annotation.Profile;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Answers bad input with 400 and one sentence, before Spring MVC would with a general one. */
@RestControllerAdvice
@Profile("!node")
@Order(Ordered.HIGHEST_PRECEDENCE)
class BadInputAdvice {

    @ExceptionHandler
    ProblemDetail explain(MethodArgumentTypeMismatchException mismatch) {
        String wanted = mismatch.getRequiredType() == boolean.class ? "true or false" : "a whole number";
        return badRequest("%s must be %s, but is \"%s\".".formatted(mismatch.getName(), wanted, mismatch.getValue()));
    }

    @ExceptionHandler
    ProblemDetail explain(BadInputException badInput) {
        return badRequest(String.valueOf(badInput.getMessage()));
    }

    /** The input is right, but a node is not as it would have to be. */
    @ExceptionHandler
    ProblemDetail explain(NodeException state) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, String.valueOf(state.getMessage()));
    }

    private static ProblemDetail badRequest(String sentence) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, sentence);
    }
}
