package io.rowlock.sample.stage;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.springframework.core.ParameterizedTypeReference;

/**
 * Many visitors who were sent to the nodes at the same time.
 *
 * @param visits the visits, in the order in which they were sent
 * @param duration the time from the first request to the last answer
 */
public record Run<T>(List<Visit<T>> visits, Duration duration) {

    /**
     * Sends visitors to the nodes in turn, and waits for all answers.
     *
     * @param request the path and query that the visitor of a number posts to
     */
    public static <T> Run<T> of(
            List<Node> nodes, int visitors, IntFunction<String> request, ParameterizedTypeReference<Visit<T>> type) {
        long start = System.nanoTime();
        List<CompletableFuture<Visit<T>>> answers = IntStream.range(0, visitors)
                .mapToObj(visitor -> nodes.get(visitor % nodes.size()).post(request.apply(visitor), type))
                .toList();
        List<Visit<T>> visits = answers.stream().map(CompletableFuture::join).toList();
        return new Run<>(visits, Duration.ofNanos(System.nanoTime() - start).truncatedTo(ChronoUnit.MILLIS));
    }

    /** Returns what the service returned, where it did. */
    public List<T> results() {
        return visits.stream()
                .filter(visit -> visit.outcome() == Visit.Outcome.DONE)
                .map(visit -> Objects.requireNonNull(visit.result()))
                .toList();
    }

    /** Counts the visitors who did not get the lock in time. */
    public int gaveUp() {
        return count(Visit.Outcome.GAVE_UP);
    }

    /** Counts the visitors who met a failing database, a lost lock or a dead node. */
    public int failed() {
        return count(Visit.Outcome.FAILED) + count(Visit.Outcome.UNANSWERED);
    }

    private int count(Visit.Outcome outcome) {
        return (int) visits.stream().filter(visit -> visit.outcome() == outcome).count();
    }

    /** Returns what was sent to the database for the visitor who had it do most. */
    public List<String> sql() {
        return visits.stream()
                .map(Visit::sql)
                .max(Comparator.comparingInt(List::size))
                .orElse(List.of());
    }
}
