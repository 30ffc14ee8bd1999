package io.rowlock;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class MisspellingTests {
    @Test
    void nearestNameIsFound() {
        List<String> known = List.of("order", "report", "reports.daily");
        assertThat(Misspelling.of("ordr", known)).hasValue("order");
        assertThat(Misspelling.of("raport", known)).hasValue("report");
        assertThat(Misspelling.of("Report.daily", known)).hasValue("reports.daily");
    }

    @Test
    void nameLikeNoOtherIsNone() {
        assertThat(Misspelling.of("invoice", List.of("order", "report"))).isEmpty();
        assertThat(Misspelling.of("order", List.of())).isEmpty();
    }

    @Test
    void halfOfTheLettersAreTooMany() {
        assertThat(Misspelling.of("abc", List.of("abx"))).hasValue("abx");
        assertThat(Misspelling.of("ab", List.of("ax"))).isEmpty();
        assertThat(Misspelling.of("a", List.of("ab"))).isEmpty();
        assertThat(Misspelling.of("", List.of("a"))).isEmpty();
    }
}
