package io.rowlock.store.jdbc.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.store.jdbc.lease.NamedLocks.QueueName;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class QueueNameTests {
    private static List<String> names() {
        return Stream.of(
                        new QueueName("rowlock_lock", "a").in("shop"),
                        new QueueName("rowlock_lock", "A").in("shop"),
                        new QueueName("rowlock_lock", "a ").in("shop"),
                        new QueueName("rowlock_lock", "Ärger 🔒").in("shop"),
                        new QueueName("rowlock_lock", "k".repeat(255)).in("shop"),
                        new QueueName("rowlock_lock", "k".repeat(254)).in("shop"),
                        new QueueName("other_lock", "a").in("shop"),
                        new QueueName("rowlock_lock", "a").in("Shop"),
                        new QueueName("rowlock_lock", "a").in("s".repeat(64)))
                .toList();
    }

    @Test
    void everyNameIsOneTheServerTakesAndTellsFromAllOthers() {
        assertThat(names()).allMatch(name -> name.length() <= 64).allMatch(name -> name.matches("[a-z0-9:]+"));
        assertThat(names()).doesNotHaveDuplicates();
    }

    @Test
    void sameKeyHasTheSameNameInEveryProcess() {
        assertThat(new QueueName("rowlock_lock", "a").in("shop"))
                .isEqualTo(new QueueName("rowlock_lock", "a").in("shop"));
    }
}
