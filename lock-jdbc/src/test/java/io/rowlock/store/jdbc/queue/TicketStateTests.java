package io.rowlock.store.jdbc.queue;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/** When a connection must not go back to its pool, because somebody is about to close it. */
class TicketStateTests {
    private final Connection connection = (Connection) Proxy.newProxyInstance(
            TicketStateTests.class.getClassLoader(),
            new Class<?>[] {Connection.class},
            (proxy, method, arguments) -> null);
    private final TicketState state = new TicketState();

    @Test
    void waitThatIsBrokenOffStaysSoThoughItEndsByItselfAndIsLeftAgain() {
        assertThat(state.began(connection)).isTrue();
        assertThat(state.leave(true) == connection).isTrue();
        state.came(true);
        assertThat(state.leave(true)).isNull();
        assertThat(state.awaitEnd())
                .as("the named lock is still to be released")
                .isTrue();
        assertThat(state.isBrokenOff()).isTrue();
    }

    @Test
    void placeThatHasComeIsNotBrokenOff() {
        assertThat(state.began(connection)).isTrue();
        state.came(true);
        assertThat(state.leave(true)).isNull();
        assertThat(state.isBrokenOff()).isFalse();
    }

    @Test
    void waitThatEndsSoonIsNotBrokenOff() {
        assertThat(state.began(connection)).isTrue();
        assertThat(state.leave(false)).isNull();
        assertThat(state.isBrokenOff()).isFalse();
    }

    @Test
    void placeThatIsLeftBeforeItsWaitBeginsIsNotBrokenOff() {
        assertThat(state.leave(true)).isNull();
        assertThat(state.began(connection)).isFalse();
        assertThat(state.isBrokenOff()).isFalse();
    }
}
