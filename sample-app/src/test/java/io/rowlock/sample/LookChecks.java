package io.rowlock.sample;

import static io.rowlock.sample.Page.click;
import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.list;
import static io.rowlock.sample.Page.outcome;
import static io.rowlock.sample.Page.script;
import static io.rowlock.sample.Page.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.SoftAssertions.assertSoftly;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How the page looks on a phone and on a desk, by day and by night. */
interface LookChecks {

    /** Texts whose contrast with what is behind them is less than WCAG AA asks for. */
    String TOO_FAINT = """
            const rgba = (text) => text.match(/[\\d.]+/g).map(Number);
            const light = ([r, g, b]) => [r, g, b]
                .map((c) => c / 255)
                .map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
                .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
            const ground = (one) => {
              const colour = rgba(getComputedStyle(one).backgroundColor);
              return colour.length === 3 || colour[3] === 1 ? colour : ground(one.parentElement);
            };
            const contrast = (one) => {
              const style = getComputedStyle(one);
              const both = [light(rgba(one.matches('svg *') ? style.fill : style.color)), light(ground(one.closest('svg') ?? one))];
              return (Math.max(...both) + 0.05) / (Math.min(...both) + 0.05);
            };
            return [...document.querySelectorAll('body *')]
                .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
                .filter((one) => !one.matches('title, option, .token') && contrast(one) < 4.5)
                .map((one) => `${one.tagName} ${one.className} ${one.textContent.trim()} ${contrast(one)}`);
            """;

    /** Scrolls to each scenario in turn; those beside which the timeline is not in sight, or is not as it was. */
    String OUT_OF_SIGHT = """
            const figure = document.querySelector('#timeline');
            const height = () => `${document.documentElement.scrollHeight} ${figure.clientHeight} ${figure.clientWidth}`;
            scrollTo(0, 0);
            const before = height();
            return [...document.querySelectorAll('#scenarios > section')].filter((section) => {
              const button = section.querySelector('form button');
              button.focus({ preventScroll: true });
              button.scrollIntoView({ block: 'nearest', behavior: 'instant' });
              const [shown, pressed] = [figure.getBoundingClientRect(), button.getBoundingClientRect()];
              const inSight = (one) => one.top > -1 && one.bottom < innerHeight + 1; // parts of a pixel cannot be scrolled
              const apart = pressed.right <= shown.left || pressed.bottom < shown.top + 1;
              return !(inSight(shown) && inSight(pressed) && apart && height() === before);
            }).map((section) => section.id);
            """;

    /** How many rows each form has: one for its fields, and one for its buttons. */
    String ROWS = """
            const rows = (form, what) => new Set([...form.querySelectorAll(what)].map((one) => one.getBoundingClientRect().top)).size;
            return [...document.querySelectorAll('form:has(.fields)')].map((form) => `${rows(form, '.fields input')} ${rows(form, '.buttons button')}`);
            """;

    @Test
    default void isReadAtEverySizeByDayAndByNight() throws IOException {
        try (Look phone = Look.at(390, 844, "dark")) {
            click("#sale button[value=true]");
            assertThat(outcome("sale")).as("on a phone: %s", phone).startsWith("Sold 60 of 60");
        }
        List<Object> grounds = new ArrayList<>();
        for (String theme : List.of("light", "dark")) {
            isReadAt(390, 844, theme);
            isReadAt(1400, 900, theme);
            try (Look any = Look.at(1400, 900, theme)) {
                grounds.add(find("body").getCssValue("background-color"));
            }
        }
        assertThat(grounds).doesNotHaveDuplicates();
    }

    private static void isReadAt(int width, int height, String theme) throws IOException {
        try (Look look = Look.at(width, height, theme)) {
            assertSoftly(all -> {
                all.assertThat(script("return document.documentElement.scrollWidth"))
                        .as("%s: width", look)
                        .isEqualTo((long) width);
                all.assertThat(list(OUT_OF_SIGHT))
                        .as("%s: scenarios without the timeline", look)
                        .isEmpty();
                all.assertThat(list(ROWS)).as("%s: rows of forms", look).containsExactly("1 1", "1 1", "1 1");
                all.assertThat(list(TOO_FAINT))
                        .as("%s: texts with too little contrast", look)
                        .isEmpty();
            });
            script("scrollTo(0, 0)");
            look.keep();
        }
    }

    @Test
    default void movesLessForThoseWhoAskForIt() {
        try (Look look = Look.at(1400, 900, "light")) {
            assertThat(find("#race-bars .fill").getCssValue("transition-duration"))
                    .isEqualTo("0.2s");
            look.calm();
            assertThat(find("#race-bars .fill").getCssValue("transition-duration"))
                    .isEqualTo("0s");
        }
    }

    @Test
    default void saysFirstWhatRowlockIsAndThenBreaksIt() {
        assertSoftly(all -> {
            all.assertThat(find("header p").getText())
                    .startsWith("Rowlock is a Spring Boot starter that puts a lock, kept in your MySQL or MariaDB, "
                            + "around a method. ");
            all.assertThat(texts("main h2")).startsWith("Break it").contains("Timeline", "Tables");
            all.assertThat(texts("nav a")).startsWith("Break it");
        });
    }
}
