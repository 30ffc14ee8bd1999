package io.rowlock.sample;

import static io.rowlock.sample.Page.act;
import static io.rowlock.sample.Page.browser;
import static io.rowlock.sample.Page.click;
import static io.rowlock.sample.Page.count;
import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.script;
import static io.rowlock.sample.Page.texts;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** What buttons say that cannot run, and what they offer instead. */
interface RemedyChecks {

    @Test
    default void scenarioThatMissesANodeSaysSoAndOffersToStartIt() {
        String places = places("#sale");
        act("node-2", "kill", "down");
        await().atMost(ofSeconds(90))
                .untilAsserted(() -> assertThat(find("#sale-blocked").getText())
                        .isEqualTo("This takes 3 nodes, and node-2 is down."));
        assertThat(count("#sale button[name=lock][aria-disabled=true][aria-describedby=sale-blocked]"))
                .isEqualTo(3);
        assertThat(places("#sale")).isEqualTo(places);
        assertThat(count("#pause button[aria-disabled=true], #race button[aria-disabled=true]"))
                .as("two nodes are enough")
                .isZero();
        click("#sale button[value=true]");
        assertThat(count("#sale[data-running]")).as("it runs though it cannot").isZero();

        find("#sale [name=nodes]").sendKeys(Keys.ARROW_DOWN);
        assertThat(count("#sale .blocked button")).isZero();
        find("#sale [name=nodes]").sendKeys(Keys.ARROW_UP);
        assertThat(texts("#sale .blocked button")).containsExactly("Start node-2");
        find("#sale .blocked button").sendKeys(Keys.ENTER);
        await().atMost(ofSeconds(90)).until(() -> count("#sale .blocked button") == 0);
        assertThat(find("#sale-blocked").getText()).isEmpty();
        assertThat(count("#sale button[name=lock][aria-disabled=false]")).isEqualTo(3);
        assertThat(browser().switchTo().activeElement().getText()).isEqualTo("Sell with the lock");
    }

    @Test
    default void nodeThatStandsStillSaysWhatItCannotAndKeepsItsButtons() {
        String node = "#nodes [data-node=node-3]";
        String places = places(node);
        act("node-3", "pause", "paused");
        assertThat(texts(node + " .buttons button")).containsExactly("Stop", "Resume", "Kill");
        assertThat(places(node)).isEqualTo(places);
        assertThat(find(node + " .why").getText()).isEqualTo("It is paused: resume it before you stop it.");
        assertThat(texts(node + " [aria-disabled=true][aria-describedby=why-node-3]"))
                .containsExactly("Stop");
        assertThat(texts("#loan .blocked button, #report .blocked button"))
                .containsExactly("Resume node-3", "Resume node-3");
        click(node + " [value=stop]");
        act("node-3", "resume", "up");
        assertThat(find(node + " .why").getText()).isEmpty();
        assertThat(count(node + " [aria-disabled=true]")).isZero();
        assertThat(places(node)).isEqualTo(places);
    }

    @Test
    default void wholeRunIsOfferedOnceAKeyIsChosen() {
        assertThat(find("#timeline-run").getDomAttribute("aria-disabled")).isEqualTo("true");
        assertThat(find("#" + find("#timeline-run").getDomAttribute("aria-describedby"))
                        .getText())
                .endsWith("To see a whole run, choose its key.");
        click("#timeline-run");
        assertThat(browser().switchTo().activeElement().getDomAttribute("id")).isEqualTo("timeline-key");
        await().atMost(ofSeconds(90)).until(() -> texts("#timeline-key option").contains("leader:dispatcher"));
        find("#timeline-key").sendKeys("leader");
        assertThat(find("#timeline-run").getDomAttribute("aria-disabled")).isEqualTo("false");
    }

    /** Where the buttons are in a form or an item of a list. */
    private static String places(String css) {
        return (String) script("""
                const all = document.querySelector(arguments[0]);
                const top = all.getBoundingClientRect().top;
                return [...all.querySelectorAll('.buttons button')]
                    .map((one) => one.getBoundingClientRect())
                    .map((box) => [box.left, box.top - top, box.width].map(Math.round))
                    .join(' ');
                """, css);
    }
}
