package io.rowlock.sample;

import static io.rowlock.sample.Page.PICTURES;
import static io.rowlock.sample.Page.act;
import static io.rowlock.sample.Page.awaitRun;
import static io.rowlock.sample.Page.browser;
import static io.rowlock.sample.Page.cells;
import static io.rowlock.sample.Page.click;
import static io.rowlock.sample.Page.count;
import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.fitsAPhone;
import static io.rowlock.sample.Page.holding;
import static io.rowlock.sample.Page.keep;
import static io.rowlock.sample.Page.leader;
import static io.rowlock.sample.Page.list;
import static io.rowlock.sample.Page.outcome;
import static io.rowlock.sample.Page.picture;
import static io.rowlock.sample.Page.script;
import static io.rowlock.sample.Page.texts;
import static io.rowlock.sample.Page.tokenColour;
import static io.rowlock.sample.Page.unfold;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.stage.Stage;
import io.rowlock.test.OnServer;
import java.io.IOException;
import java.nio.file.Files;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.logging.LogType;
import org.springframework.beans.factory.annotation.Autowired;

/** The page in a browser: every scenario to its end, and what it shows against what the database has. */
@OnServer
@EnabledIf("io.rowlock.sample.Browser#isThere")
@Tag("full")
class PageTests extends RunningSample implements LookChecks, RemedyChecks, ReportPageChecks {
    /** How much creditors have more or less than their bookings say. */
    private static final String BOOKED_AND_CLAIMED = """
            SELECT SUM(GREATEST(0, %s))
            FROM (SELECT cents, (SELECT SUM(cents) FROM sample_booking booking
                                 WHERE booking.debt_id = claim.debt_id AND booking.creditor = claim.creditor) AS booked
                  FROM sample_claim claim
                  WHERE debt_id = ?) books
            """;

    /** Notes who leads, and beside which nodes it says so, whenever either changes. */
    private static final String LEADERS_SEEN = """
            window.seen = [];
            const note = () => seen.push(document.querySelector('#leader').textContent + ' | '
                + [...document.querySelectorAll('#nodes li:has(.crown:not([hidden]))')]
                    .map((one) => one.querySelector('strong').textContent + ' ' + one.querySelector('.state').textContent));
            new MutationObserver(note).observe(document.querySelector('#jobs-section'),
                { subtree: true, childList: true, attributes: true, attributeFilter: ['hidden'] });
            """;

    private static final String PARTITIONS = """
            SELECT CONCAT(SUBSTRING(lock_key, 11), ': ', SUBSTRING_INDEX(owner, '#', 1))
            FROM rowlock_locks_held
            WHERE lock_key LIKE 'partition:%'
            """;

    @Autowired
    Stage stage;

    @BeforeAll
    static void openBrowser() throws IOException {
        Page.open();
    }

    @AfterAll
    static void closeBrowser() {
        Page.close();
    }

    @BeforeEach
    void openPage() {
        browser().get("http://localhost:" + port);
        await().atMost(ofSeconds(90)).until(() -> find("#connection").getText().equals("live"));
    }

    @AfterEach
    void consoleHasNoError() {
        assertThat(browser().manage().logs().get(LogType.BROWSER).getAll())
                .as("the browser's console")
                .isEmpty();
    }

    @Test
    void paintsWithinASecond() {
        double fastest = Double.MAX_VALUE;
        for (int attempt = 0; attempt < 3 && fastest >= 1000; attempt++) {
            browser().navigate().refresh();
            fastest = Math.min(fastest, await().atMost(ofSeconds(90)).until(Page::firstPaint, paint -> paint != null));
        }
        assertThat(fastest).isLessThan(1000.0);
    }

    @Test
    void saleWithTheLockSellsWhatThereIs() throws IOException {
        click("#sale button[value=true]");
        assertThat(outcome("sale")).isEqualTo("Sold 60 of 60, none oversold.");

        WebElement row = find("#sale-section tbody tr");
        long item = Long.parseLong(row.getDomAttribute("data-item"));
        assertThat(cells(row).subList(0, 6)).containsExactly("with", "60", "60", "0", "0", "120");
        assertThat(number("SELECT COUNT(*) FROM sample_sale WHERE item_id = ?", item))
                .isEqualTo(60);
        assertThat(number("SELECT stock FROM sample_item WHERE id = ?", item)).isZero();

        awaitRun("item:" + item);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .hold.exclusive") == 120);
        assertThat(count("#timeline .wait")).isEqualTo(120);
        assertThat(count("#timeline .label")).isEqualTo(12);
        assertThat(unfold("sale-section", "The Java that does it")).contains("@DistributedLock(name = \"item\"");
        assertThat(unfold("sale-section", "The SQL that ran"))
                .contains("UPDATE rowlock_lock", "lock_key = 'item:%d'".formatted(item), "COMMIT")
                .doesNotContain("x'", "= ?");
        keep("sale", "#sale-section");
        keep("timeline-sale", "#see");
        fitsAPhone("sale-section");

        stage.close(); // as a network that breaks
        script("document.querySelector('#connection').textContent = 'cut'");
        await().atMost(ofSeconds(90)).until(() -> find("#connection").getText().equals("live"));
        await().during(ofMillis(300)).atMost(ofSeconds(90)).until(() -> count("#timeline .hold.exclusive") == 120);
    }

    @Test
    void saleWithoutTheLockShowsWhatWasOversold() {
        await().atMost(ofSeconds(90)).until(() -> {
            click("#sale button[value=false]");
            return outcome("sale").contains("more than there were");
        });
        WebElement row = find("#sale-section tbody tr");
        long item = Long.parseLong(row.getDomAttribute("data-item"));
        long sold = number("SELECT COUNT(*) FROM sample_sale WHERE item_id = ?", item);
        assertThat(cells(row).subList(0, 4)).containsExactly("without", "60", "" + sold, "" + (sold - 60));
        awaitRun("item:" + item);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .free") == 120);
        assertThat(unfold("sale-section", "The Java that does it")).contains("buyWithoutLock");
    }

    @Test
    void loanWithTheLocksKeepsTheMoney() throws IOException {
        click("#loan button[value=true]");
        assertThat(outcome("loan")).contains("60 transfers", "6 repayments", "every cent is where it belongs");

        WebElement row = find("#loan-section tbody tr");
        long debt = Long.parseLong(row.getDomAttribute("data-debt"));
        long outstanding = number("SELECT outstanding FROM sample_debt WHERE id = ?", debt);
        assertThat(cells(row).get(8).replaceAll("[,.]", "")).isEqualTo("" + outstanding);
        assertThat(number("SELECT SUM(cents) FROM sample_claim WHERE debt_id = ?", debt))
                .isEqualTo(outstanding);

        awaitRun("debt:" + debt);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .hold.shared") == 60);
        assertThat(count("#timeline .hold.exclusive")).isEqualTo(6);
        assertThat((String) script("return getComputedStyle(document.querySelector('#timeline .hold.shared')).fill"))
                .contains("#stripes");
        assertThat(tokenColour("exclusive")).isNotEqualTo(tokenColour("shared"));
        keep("loan", "#loan-section");
        keep("timeline-loan", "#see");
        fitsAPhone("loan-section");
    }

    @Test
    void loanWithoutTheLocksLosesMoney() {
        await().atMost(ofSeconds(90)).until(() -> {
            click("#loan button[value=false]");
            return outcome("loan").matches(".*(lost|came from nowhere).*");
        });
        WebElement row = find("#loan-section tbody tr");
        long debt = Long.parseLong(row.getDomAttribute("data-debt"));
        assertThat(cents(cells(row).get(1))).isEqualTo(number(BOOKED_AND_CLAIMED.formatted("booked - cents"), debt));
        assertThat(cents(cells(row).get(2))).isEqualTo(number(BOOKED_AND_CLAIMED.formatted("cents - booked"), debt));
        assertThat(cents(cells(row).get(7)))
                .isEqualTo(number(
                        "SELECT -SUM(cents) FROM sample_booking WHERE reason = 'REPAYMENT' AND debt_id = ?", debt));
    }

    @Test
    void saleWithTheLockInTheTransactionSellsWhatThereIs() throws IOException {
        click("#sale [data-strategy=transaction]");
        assertThat(outcome("sale")).isEqualTo("Sold 60 of 60, none oversold. The lock was part of each transaction.");
        WebElement row = find("#sale-section tbody tr");
        long item = Long.parseLong(row.getDomAttribute("data-item"));
        assertThat(cells(row).subList(0, 4)).containsExactly("in the transaction", "60", "60", "0");
        assertThat(number("SELECT COUNT(*) FROM sample_sale WHERE item_id = ?", item))
                .isEqualTo(60);
        awaitRun("item-in-transaction:" + item);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .hold.exclusive") == 120);
        assertThat(count("#timeline .label")).isEqualTo(12);
        assertThat(texts("#timeline .hold title")).noneMatch(words -> words.contains("token"));
        assertThat(unfold("sale-section", "The Java that does it")).contains("strategy = \"transaction\"");
        assertThat(unfold("sale-section", "The SQL that ran")).contains("rowlock_row", "FOR UPDATE");
        keep("sale-transaction", "#sale-section");
        fitsAPhone("sale-section");
    }

    @Test
    void anotherNodeLeadsWhenTheLeaderIsKilled() throws IOException {
        await().atMost(ofSeconds(90)).until(() -> leader() != null);
        String first = leader();
        script(LEADERS_SEEN);
        click("#nodes [data-node=%s] [value=kill]".formatted(first));
        // Read once: it changes meanwhile
        await().atMost(ofSeconds(90)).until(Page::leader, leader -> leader != null && !leader.equals(first));
        assertThat(list("return seen"))
                .contains("%s is gone. Another node takes over when its lease has expired. | ".formatted(first))
                .noneMatch(seen -> seen.contains(first + " down"));
        await().atMost(ofSeconds(90))
                .until(() -> (""
                                + number(
                                        "SELECT MAX(fence) FROM rowlock_locks_held WHERE lock_key = 'leader:dispatcher'"))
                        .equals(find("#leader").getText().replaceAll(".*term (\\d+).*", "$1")));
        assertThat(find("#out-of-term").getText()).isEqualTo("0");
        assertThat(unfold("leader", "The Java that does it")).contains("@Scheduled", "@LeaderOnly");
        awaitSql("leader", "INSERT INTO sample_job", "COMMIT");
        awaitSql("partitions", "lock_key >= 'node:'");
        keep("jobs", "#jobs-section");
        fitsAPhone("jobs-section");

        browser().navigate().refresh();
        await().atMost(ofSeconds(90)).until(() -> holding("leader:dispatcher").size() == 1);
        await().atMost(ofSeconds(90)).until(() -> leader() != null);
        assertThat(holding("leader:dispatcher")).singleElement().asString().startsWith(leader());
        click("#nodes [data-node=%s] [value=start]".formatted(first));
        await().atMost(ofSeconds(90))
                .until(() -> find("#nodes [data-node=%s] .state".formatted(first))
                        .getText()
                        .equals("up"));
    }

    /** Nodes report what ran in the background when it is more than before: the first report may be of a round that was cut short. */
    private static void awaitSql(String topic, String... parts) {
        await().atMost(ofSeconds(90))
                .untilAsserted(
                        () -> assertThat(unfold(topic, "The SQL that ran")).contains(parts));
    }

    @Test
    void oneNodeDoesTheJobOfTheNight() {
        await().atMost(ofSeconds(90)).until(() -> {
            click("#nightly button");
            return outcome("nightly").matches("node-\\d did it, 2 skipped it. Rows of this night: 1.");
        });
        long night = Long.parseLong(find("#nightly").getDomAttribute("data-night"));
        assertThat(number("SELECT COUNT(*) FROM sample_night WHERE night = ?", night))
                .isEqualTo(1);
        assertThat(outcome("nightly"))
                .startsWith(database.sql("SELECT node FROM sample_night WHERE night = ?")
                        .param(night)
                        .query(String.class)
                        .single());
        await().atMost(ofSeconds(90))
                .until(() -> numbers(find("#nights").getText().replaceAll("node-\\d", ""))
                        == number("SELECT COUNT(*) FROM sample_night"));
    }

    @Test
    void partitionsGoToTheOthersWhenANodeIsStoppedOrPaused() {
        act("node-2", "pause", "paused");
        awaitPartitionsWithout("node-2");
        act("node-2", "resume", "up");
        act("node-3", "stop", "down");
        awaitPartitionsWithout("node-3");
    }

    /** Until the other nodes have all partitions, on the page as in the database. */
    private void awaitPartitionsWithout(String node) {
        await().atMost(ofSeconds(90)).untilAsserted(() -> {
            List<String> shown = texts("#partitions li");
            assertThat(shown).hasSize(16).allMatch(one -> one.contains(": node-") && !one.endsWith(node));
            assertThat(shown)
                    .containsExactlyInAnyOrderElementsOf(
                            database.sql(PARTITIONS).query(String.class).list());
        });
    }

    @Test
    void strategiesAreShownSideBySide() throws IOException {
        long before = number("SELECT COALESCE(MAX(id), 0) FROM rowlock_lock_log");
        click("#race button");
        await().atMost(ofSeconds(90)).until(() -> count(".bar.running") > 0 || count(".bar:not(.idle)") > 0);
        assertThat(outcome("race")).contains("turns on 3 nodes; never did two have the lock at once.");
        assertThat(browser().findElements(By.cssSelector("#race-bars .value")))
                .hasSize(6)
                .allSatisfy(value -> assertThat(value.getText()).matches("[\\d.]+ (ms|/s)"));
        keep("race", "#race-section");
        long turns = Long.parseLong(outcome("race").replaceFirst(" .*", ""));
        await().atMost(ofSeconds(90))
                .until(() ->
                        number("SELECT COUNT(*) FROM rowlock_lock_log WHERE lock_key LIKE 'race:%' AND id > ?", before)
                                == turns);
        assertThat(unfold("race-section", "The SQL that ran")).contains("row-lock", "FOR UPDATE NOWAIT");
        fitsAPhone("race-section");
    }

    @Test
    void commitOfAHolderThatStoodStillIsRefused() throws IOException {
        assertThat(count("#pause-section [data-needs=redis]")).isEqualTo(2);
        assertThat(count("#pause-section [data-needs=redis]:not([hidden])"))
                .as("there is no Redis")
                .isZero();
        click("#pause button[value=true]");
        assertThat(outcome("pause"))
                .isEqualTo("The commit of node-1 was refused: 30.00 was paid out of 100.00, the balance is 70.00.");
        long account = Long.parseLong(find("#steps").getDomAttribute("data-account"));
        assertThat(number("SELECT cents FROM sample_account WHERE id = ?", account))
                .isEqualTo(70_00);
        assertThat(number("SELECT SUM(cents) FROM sample_withdrawal WHERE account_id = ?", account))
                .isEqualTo(30_00);
        awaitRun("account:" + account);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .marks .strike") == 1);
        assertThat(count("#timeline .marks .paused")).isPositive();
        assertThat(texts("#timeline .token.gone")).singleElement().asString().startsWith("lost #");
        assertThat(count("#steps li")).isGreaterThanOrEqualTo(5);
        keep("pause", "#pause-section");
        keep("timeline-pause", "#see");
        Files.writeString(PICTURES.resolve("timeline.svg"), picture());
        PublishedPicture.showsThePage();
        fitsAPhone("pause-section");
    }

    @Test
    void withdrawalIsLostWithoutTheLock() {
        click("#pause button[value=false]");
        assertThat(outcome("pause"))
                .isEqualTo(
                        "Both were committed: 60.00 was paid out of 100.00, the balance is 70.00. A withdrawal is missing.");
        long account = Long.parseLong(find("#steps").getDomAttribute("data-account"));
        assertThat(number("SELECT cents FROM sample_account WHERE id = ?", account))
                .isEqualTo(70_00);
        assertThat(number("SELECT SUM(cents) FROM sample_withdrawal WHERE account_id = ?", account))
                .isEqualTo(60_00);
    }

    @Test
    void tablesShowTheLocksAndTheLog() {
        await().atMost(ofSeconds(90))
                .untilAsserted(
                        () -> assertThat(find("#locks").getText()).contains("leader:dispatcher", "exclusive", "node-"));
        click("#sale button[value=true]");
        outcome("sale");
        await().atMost(ofSeconds(90))
                .untilAsserted(() -> assertThat(find("#log").getText()).contains("item:", "released"));
    }

    @Test
    void keyboardIsEnough() {
        WebElement focused = browser().switchTo().activeElement();
        for (int i = 0; i < 60 && !focused.getText().equals("Sell with the lock"); i++) {
            focused.sendKeys(Keys.TAB);
            focused = browser().switchTo().activeElement();
        }
        focused.sendKeys(Keys.ENTER);
        assertThat(outcome("sale")).startsWith("Sold 60 of 60");
        find("#timeline").sendKeys(Keys.ARROW_LEFT);
        assertThat(find("#timeline-live").getDomAttribute("aria-pressed")).isEqualTo("false");
        await().atMost(ofSeconds(90))
                .untilAsserted(
                        () -> { // the page may show the run of the sale in between
                            find("#timeline").sendKeys(Keys.END);
                            assertThat(find("#timeline-live").getDomAttribute("aria-pressed"))
                                    .isEqualTo("true");
                        });
    }

    private static long cents(String amount) {
        return Long.parseLong(amount.replaceAll("[,.]", ""));
    }

    /** The sum of the numbers in a text. */
    private static long numbers(String text) {
        return Pattern.compile("\\d+")
                .matcher(text)
                .results()
                .mapToLong(number -> Long.parseLong(number.group()))
                .sum();
    }
}
