package io.rowlock.sample.stage;

import java.io.IOException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.springframework.http.MediaType;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/**
 * A page that is open in a browser. What is sent to it waits in a queue of its own, so that a slow reader holds up no other;
 * one that reads too slowly is given up, and opens itself anew. Thread-safe.
 */
final class OpenPage {
    private static final int WAITING = 500;
    private static final long REOPENS_AFTER_MILLIS = 1000;

    private final SseEmitter emitter;
    private final Consumer<OpenPage> gone;
    private final ThreadPoolExecutor teller = new ThreadPoolExecutor(
            1, 1, 0, TimeUnit.SECONDS, new ArrayBlockingQueue<>(WAITING), new CustomizableThreadFactory("page-"));

    /** @param gone called when it is closed */
    OpenPage(SseEmitter emitter, Consumer<OpenPage> gone) {
        this.emitter = emitter;
        this.gone = gone;
        emitter.onCompletion(this::forget);
        emitter.onError(failure -> forget());
    }

    SseEmitter emitter() {
        return emitter;
    }

    /** Sends something, soon and in the order of the calls. */
    void tell(String topic, Object data) {
        try {
            teller.execute(() -> send(topic, data));
        } catch (RejectedExecutionException e) {
            close();
        }
    }

    /** Ends it; what has not been sent yet is not sent any more. */
    synchronized void close() {
        gone.accept(this);
        if (!teller.isShutdown()) {
            teller.getQueue().clear();
            teller.execute(emitter::complete); // not here: a thread that sends may be stuck in it
            teller.shutdown();
        }
    }

    private void forget() {
        gone.accept(this);
        teller.shutdownNow();
    }

    private void send(String topic, Object data) {
        try {
            emitter.send(SseEmitter.event()
                    .name(topic)
                    .reconnectTime(REOPENS_AFTER_MILLIS)
                    .data(data, MediaType.APPLICATION_JSON));
        } catch (IOException | IllegalStateException e) {
            forget();
        }
    }
}
