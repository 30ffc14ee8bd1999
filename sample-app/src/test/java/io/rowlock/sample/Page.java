package io.rowlock.sample;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.openqa.selenium.By;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.springframework.util.FileSystemUtils;

/** The sample's page in a browser: what a test does there, and what it reads. */
final class Page {
    static final Path PICTURES = Path.of("target", "screenshots");

    private static @Nullable ChromeDriver opened;
    private static @Nullable Path scratch;

    private Page() {}

    static void open() throws IOException {
        Files.createDirectories(PICTURES);
        scratch = Files.createTempDirectory(Path.of("/tmp"), "sample-browser-");
        opened = Browser.open(scratch);
    }

    static void close() {
        if (opened != null) {
            opened.quit();
            // processes of the browser may still be ending
            await().atMost(ofSeconds(60)).ignoreExceptions().until(() -> {
                boolean unused = FileSystemUtils.deleteRecursively(scratch);
                return true;
            });
        }
    }

    /** The page as it is now, with all that a section can unfold. */
    static void fitsAPhone(String section) {
        script(
                "document.querySelectorAll(arguments[0]).forEach((one) => (one.open = true))",
                "#" + section + " details");
        await().atMost(ofSeconds(90))
                .until(() -> count("#%s details:not([hidden]):not(:has(code))".formatted(section)) == 0);
        try (Look phone = Look.at(375, 812, "light")) {
            assertThat(script("return document.documentElement.scrollWidth"))
                    .as("%s: width", phone)
                    .isEqualTo(375L);
        }
    }

    /** The colour in which a token is written on the timeline as it is now. */
    static Object tokenColour(String mode) {
        return script("""
                const text = document.createElementNS('http://www.w3.org/2000/svg', 'text');
                text.setAttribute('class', 'token ' + arguments[0]);
                document.querySelector('#timeline .marks').append(text);
                const colour = getComputedStyle(text).fill;
                text.remove();
                return colour;
                """, mode);
    }

    /** What the timeline shows to be held by now. */
    static List<String> holding(String key) {
        return texts("#timeline .hold title").stream()
                .filter(words -> words.contains("holds: " + key) && words.contains(", still"))
                .toList();
    }

    /** Read at one go: what changes all the time is drawn anew all the time. */
    @SuppressWarnings("unchecked")
    static List<String> texts(String css) {
        return (List<String>)
                script("return [...document.querySelectorAll(arguments[0])].map((one) => one.textContent)", css);
    }

    /** Until the timeline shows the whole run of a key, and nothing else. */
    static void awaitRun(String key) {
        await().atMost(ofSeconds(90)).untilAsserted(() -> {
            assertThat(find("#timeline-key").getDomProperty("value")).isEqualTo(key);
            assertThat(find("#timeline-live").getDomAttribute("aria-pressed")).isEqualTo("false");
            assertThat(texts("#timeline .marks title"))
                    .filteredOn(words -> !words.endsWith("is paused"))
                    .isNotEmpty()
                    .allMatch(words -> words.contains(": " + key + ","));
        });
    }

    static ChromeDriver browser() {
        return Objects.requireNonNull(opened);
    }

    static WebElement find(String css) {
        return browser().findElement(By.cssSelector(css));
    }

    static long count(String css) {
        return (Long) script("return document.querySelectorAll(arguments[0]).length", css);
    }

    static Object script(String script, Object... arguments) {
        return browser().executeScript(script, arguments);
    }

    @SuppressWarnings("unchecked")
    static List<String> list(String script) {
        return (List<String>) script(script);
    }

    static @Nullable Double firstPaint() {
        Number start =
                (Number) script("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null");
        return start == null ? null : start.doubleValue();
    }

    static String picture() {
        return (String)
                browser()
                        .executeAsyncScript(
                                "const done = arguments[0]; import('/js/timeline.js').then((timeline) => done(timeline.picture()))");
    }

    static @Nullable String leader() {
        String text = find("#leader").getText();
        return text.contains(" leads") ? text.substring(0, text.indexOf(' ')) : null;
    }

    static List<String> cells(WebElement row) {
        return row.findElements(By.tagName("td")).stream()
                .map(WebElement::getText)
                .toList();
    }

    /** The page goes where the pointer goes; a script saves the way there. */
    static void click(String css) {
        script("arguments[0].click()", find(css));
    }

    /** Presses a node's button, until the node is in a state. */
    static void act(String node, String action, String state) {
        click("#nodes [data-node=%s] [value=%s]".formatted(node, action));
        await().atMost(ofSeconds(90))
                .until(() -> find("#nodes [data-node=%s] .state".formatted(node))
                        .getText()
                        .equals(state));
    }

    /** What a scenario says once it has ended. */
    static String outcome(String form) {
        String outcome = "#%s ~ .outcome".formatted(form);
        await().atMost(ofSeconds(90))
                .pollInterval(ofMillis(100))
                .until(() -> count("#%s[data-running]".formatted(form)) == 0
                        && !find(outcome).getText().isEmpty());
        return find(outcome).getText();
    }

    /** @param where a section, or a topic */
    static String unfold(String where, String title) {
        String css = "#%1$s details, [data-topic='%1$s'] details".formatted(where);
        // shown once there is something to show
        WebElement details = await().atMost(ofSeconds(90))
                .until(
                        () -> browser().findElements(By.cssSelector(css)).stream()
                                .filter(one -> one.findElement(By.tagName("summary"))
                                        .getText()
                                        .equals(title))
                                .findFirst(),
                        Optional::isPresent)
                .orElseThrow();
        script("arguments[0].open = true", details);
        await().atMost(ofSeconds(90))
                .until(() -> details.findElements(By.tagName("code")).size() > 0);
        return details.getText();
    }

    static void keep(String name, String css) throws IOException {
        browser().executeAsyncScript("""
                document.querySelector(arguments[0]).scrollIntoView({ block: 'start', behavior: 'instant' });
                requestAnimationFrame(() => requestAnimationFrame(arguments[1]));
                """, css);
        Files.write(PICTURES.resolve(name + ".png"), find(css).getScreenshotAs(OutputType.BYTES));
    }
}
