package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.LockEvent;
import io.rowlock.LockMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.PayloadApplicationEvent;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
import org.springframework.context.support.GenericApplicationContext;

class LockEventPublisherTests {
    private static final LockEvent EVENT = new LockEvent(
            LockEvent.Type.ACQUIRED, "k", "n", LockMode.EXCLUSIVE, "lease", "me", 7, Duration.ZERO, Duration.ZERO);

    private final GenericApplicationContext context = new GenericApplicationContext();
    private final LockEventPublisher publisher = new LockEventPublisher(context);
    private final List<LockEvent> heard = new ArrayList<>();
    private final ApplicationListener<?> listener =
            ApplicationListener.forPayload((LockEvent event) -> heard.add(event));

    private static final class Other implements ApplicationListener<ContextClosedEvent> {
        @Override
        public void onApplicationEvent(ContextClosedEvent event) {}
    }

    @BeforeEach
    void start() {
        context.refresh();
    }

    @AfterEach
    void close() {
        context.close();
    }

    @Test
    void noThreadIsWokenWhileNothingListens() {
        context.addApplicationListener(new Other());
        assertThat(publisher.mayBlock()).isFalse();
    }

    @Test
    void listenerThatComesLaterIsFoundAndMayBlock() {
        assertThat(publisher.mayBlock()).isFalse();
        context.addApplicationListener(listener);
        assertThat(publisher.mayBlock()).isTrue();
        context.removeApplicationListener(listener);
        context.addApplicationListener(new Other());
        assertThat(publisher.mayBlock()).isFalse();
    }

    @Test
    void eventIsPublishedThoughNothingWasSeenToListen() {
        assertThat(publisher.mayBlock()).isFalse();
        context.addApplicationListener(listener);
        publisher.onEvent(EVENT);
        assertThat(heard).containsExactly(EVENT);
    }

    @Test
    void eventIsHeardAsWhatItIsAndAsWhatItIsPublishedInAlsoAbove() {
        try (var above = new AnnotationConfigApplicationContext(Hearing.class);
                var own = new AnnotationConfigApplicationContext()) {
            own.setParent(above);
            own.register(Hearing.class);
            own.refresh();
            new LockEventPublisher(own).onEvent(EVENT);
            for (var context : List.of(own, above)) {
                assertThat(context.getBean(Hearing.class).heard)
                        .containsExactlyInAnyOrder("itself " + EVENT, "published " + EVENT, "any " + EVENT);
            }
        }
    }

    static final class Hearing {
        final List<String> heard = new ArrayList<>();

        @EventListener
        void itself(LockEvent event) {
            heard.add("itself " + event);
        }

        @EventListener
        void published(PayloadApplicationEvent<LockEvent> event) {
            heard.add("published " + event.getPayload());
        }

        @EventListener
        void ofAnother(PayloadApplicationEvent<String> event) {
            heard.add("another " + event.getPayload());
        }

        @EventListener
        void any(ApplicationEvent event) {
            if (event instanceof PayloadApplicationEvent<?> published) {
                heard.add("any " + published.getPayload());
            }
        }
    }
}
