package io.rowlock.sample.start;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.BindException;
import org.junit.jupiter.api.Test;

class NoPortExceptionTests {

    @Test
    void portThatIsForbiddenIsNotInUse() {
        NoPortException exception = NoPortException.of(80, new BindException("Permission denied"));
        assertThat(exception).hasMessage("The page cannot be at port 80: Permission denied.");
        assertThat(exception.another()).isEqualTo(8081);
    }

    @Test
    void portThatIsTakenHasANeighbour() {
        NoPortException exception = NoPortException.of(8080, new BindException("Address already in use: bind"));
        assertThat(exception).hasMessage("Port 8080 is in use.");
        assertThat(exception.another()).isEqualTo(8081);
    }
}
