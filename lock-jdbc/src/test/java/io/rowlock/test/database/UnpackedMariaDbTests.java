package io.rowlock.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;

class UnpackedMariaDbTests {

    @Test
    void scriptThatCannotRunSaysWhyInItsLastLine() {
        ServerSearch search = new ServerSearch(List.of(new UnpackedMariaDb("refuses.sh")));
        ServerSearch.Result result = search.find(ServerFlavor.MARIADB);
        assertThat(result.server()).isEmpty();
        assertThat(result.explanation()).startsWith("No MariaDB for tests: there is no such server.");
    }

    @Test
    void scriptThatIsNotThereIsNoServer() {
        assertThatThrownBy(() -> new UnpackedMariaDb("missing.sh").open(ServerFlavor.MARIADB))
                .isInstanceOf(ServerSource.Unavailable.class)
                .hasMessageContaining("missing.sh");
    }
}
