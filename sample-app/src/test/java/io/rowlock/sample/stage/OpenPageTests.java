package io.rowlock.sample.stage;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

@Timeout(60)
class OpenPageTests {
    private final AtomicInteger gone = new AtomicInteger();

    @Test
    void tellsInOrder() {
        List<String> told = new CopyOnWriteArrayList<>();
        OpenPage page = new OpenPage(
                new SseEmitter() {
                    @Override
                    public void send(SseEventBuilder event) {
                        event.build().forEach(part -> told.add("" + part.getData()));
                    }
                },
                any -> gone.incrementAndGet());
        for (int i = 0; i < 100; i++) {
            page.tell("number", i);
        }
        await().atMost(ofSeconds(30)).until(() -> told.contains("99"));
        assertThat(told.stream().filter(part -> part.matches("\\d+")).map(Integer::valueOf))
                .hasSize(100)
                .isSorted();
        assertThat(gone).hasValue(0);
    }

    @Test
    void readerThatStallsHoldsUpNoOtherAndIsGivenUp() {
        CountDownLatch stalled = new CountDownLatch(1);
        AtomicInteger completed = new AtomicInteger();
        SseEmitter stalls = new SseEmitter() {
            @Override
            public void send(SseEventBuilder event) {
                try {
                    stalled.await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }

            @Override
            public void complete() {
                completed.incrementAndGet();
            }
        };
        OpenPage page = new OpenPage(stalls, any -> gone.incrementAndGet());
        for (int i = 0; i < 2000; i++) {
            page.tell("number", i); // would not come back if it waited for the reader
        }
        assertThat(gone).hasPositiveValue();
        assertThat(completed).as("while it is being written to").hasValue(0);
        stalled.countDown();
        await().atMost(ofSeconds(30)).until(() -> completed.get() == 1);
    }
}
