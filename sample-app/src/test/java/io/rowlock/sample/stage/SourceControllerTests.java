package io.rowlock.sample.stage;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Lines that the page promises to show; a method that was renamed fails here. */
class SourceControllerTests {

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
        SourceController.Snippet snippet = SourceController.cut("Shop.java", LINES, "buy");
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
        assertThat(SourceController.cut("Shop.java", LINES, "sell").line()).isEqualTo(12);
    }

    @Test
    void methodThatIsNotThereIsAnError() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> SourceController.cut("Shop.java", LINES, "rent"))
                .withMessage("No method rent in Shop.java");
    }

    @Test
    void everyTopicHasItsMethodsInTheSourceOfThisBuild() {
        SourceController sources = new SourceController();
        assertThat(SourceController.METHODS)
                .allSatisfy((topic, methods) -> assertThat(sources.source(topic))
                        .hasSameSizeAs(methods)
                        .allSatisfy(snippet -> assertThat(snippet.code()).endsWith("}")));
    }
}
