package io.rowlock.sample;

import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Answers bad input with 400 and one sentence, before Spring MVC would with a general one. */
@RestControllerAdvice
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

    private static ProblemDetail badRequest(String sentence) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, sentence);
    }
}
