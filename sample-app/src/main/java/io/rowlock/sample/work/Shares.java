package io.rowlock.sample.work;

import io.rowlock.sample.node.Node;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Shares work out among nodes that do it at the same time. */
public final class Shares {
    private static final Logger log = LoggerFactory.getLogger(Shares.class);
    private static final int PATIENCE_MINUTES = 3;

    private Shares() {}

    /** How much of {@code total} is the share of number {@code index} of {@code count}. */
    public static int of(int total, int index, int count) {
        return total / count + (index < total % count ? 1 : 0);
    }

    /**
     * Asks each node to do its share, and waits for all of them.
     *
     * @param share what to give the node of a number
     * @param lost what came of the share of a node of a number that did not answer, perhaps because it was killed
     */
    public static <T> List<T> done(
            List<Node> nodes, String task, IntFunction<Object> share, Class<T> type, IntFunction<T> lost) {
        List<CompletableFuture<T>> answers = IntStream.range(0, nodes.size())
                .mapToObj(index -> nodes.get(index)
                        .ask(task, share.apply(index), type)
                        .orTimeout(PATIENCE_MINUTES, TimeUnit.MINUTES)
                        .exceptionally(failure -> {
                            log.warn("A share of the work was not done: {}", reason(failure));
                            return lost.apply(index);
                        }))
                .toList();
        return answers.stream().map(CompletableFuture::join).toList();
    }

    private static String reason(Throwable failure) {
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        return String.valueOf(cause);
    }
}
