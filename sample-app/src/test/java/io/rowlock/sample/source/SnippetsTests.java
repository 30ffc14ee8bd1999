package io.rowlock.sample.source;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

/** That the page can show every line it promises; a method that was renamed fails here. */
class SnippetsTests {

    private static final List<String> LINES = """
            class Shop {

                /** Not shown. */
                @Lock(name = "item")
                @Transactional
                public void buy(long id) {
                    if (id > 0) {
                        sell(id);
                    }
                }

                void sell(long id) {
                }
            }
            """.lines().toList();

    @Test
    void cutsAMethodWithItsAnnotationsAndWithoutItsComment() {
        Snippet snippet = Snippet.cut("Shop.java", LINES, "buy");
        assertThat(snippet.line()).isEqualTo(4);
        assertThat(snippet.code()).isEqualTo("""
                @Lock(name = "item")
                @Transactional
                public void buy(long id) {
                    if (id > 0) {
                        sell(id);
                    }
                }""");
    }

    @Test
    void takesTheDeclarationAndNotACall() {
        assertThat(Snippet.cut("Shop.java", LINES, "sell").line()).isEqualTo(12);
    }

    @Test
    void methodThatIsNotThereIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Snippet.cut("Shop.java", LINES, "rent"))
                .withMessage("No method rent in Shop.java");
    }

    @Test
    void everyTopicHasItsMethodsInTheSourceOfThisBuild() {
        Snippets snippets = new Snippets();
        assertThat(snippets.topics())
                .isNotEmpty()
                .allSatisfy(topic -> assertThat(snippets.find(topic).orElseThrow())
                        .isNotEmpty()
                        .allSatisfy(snippet -> assertThat(snippet.code()).endsWith("}")));
    }
}
