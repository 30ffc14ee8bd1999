package io.rowlock.sample;

import static io.rowlock.sample.Page.awaitRun;
import static io.rowlock.sample.Page.cells;
import static io.rowlock.sample.Page.click;
import static io.rowlock.sample.Page.count;
import static io.rowlock.sample.Page.find;
import static io.rowlock.sample.Page.fitsAPhone;
import static io.rowlock.sample.Page.keep;
import static io.rowlock.sample.Page.outcome;
import static io.rowlock.sample.Page.script;
import static io.rowlock.sample.Page.texts;
import static io.rowlock.sample.Page.tokenColour;
import static io.rowlock.sample.Page.unfold;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.rowlock.sample.report.ReportChecks;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.WebElement;

/** Reports on the page, with the semaphore and without. */
interface ReportPageChecks extends Sample {

    @Test
    default void reportsAreRenderedFiveAtATime() throws IOException {
        click("#report button[value=true]");
        assertThat(outcome("report")).matches("30 reports, at most [2-5] at a time\\.");
        WebElement row = find("#report-section tbody tr");
        long batch = Long.parseLong(row.getDomAttribute("data-batch"));
        String atOnce = "" + number(ReportChecks.MOST_AT_ONCE, batch);
        assertThat(cells(row).subList(0, 4)).containsExactly("with", "5", atOnce, "30");
        awaitRun("report:" + batch);
        await().atMost(ofSeconds(90)).until(() -> count("#timeline .hold.permit") == 30);
        assertThat(count("#timeline .wait")).isEqualTo(30);
        assertThat((String) script("return getComputedStyle(document.querySelector('#timeline .hold.permit')).fill"))
                .contains("#bands");
        assertThat(tokenColour("permit")).isNotEqualTo(tokenColour("exclusive"));
        assertThat(texts(".legend li")).contains(" holds a permit");
        assertThat(unfold("report-section", "The Java that does it")).contains("@DistributedSemaphore");
        assertThat(unfold("report-section", "The SQL that ran")).contains("permits) SELECT", "sample_report");
        keep("report", "#report-section");
        keep("timeline-report", "#see");
        fitsAPhone("report-section");
    }

    @Test
    default void moreReportsAreRenderedAtATimeWithoutTheSemaphore() {
        await().atMost(ofSeconds(90)).until(() -> {
            click("#report button[value=false]");
            return outcome("report").matches("30 reports, at most ([6-9]|1[0-2]) at a time\\.");
        });
        long batch = Long.parseLong(find("#report-section tbody tr").getDomAttribute("data-batch"));
        assertThat(outcome("report")).contains(" %d at a time".formatted(number(ReportChecks.MOST_AT_ONCE, batch)));
        assertThat(find("#report ~ .outcome").getDomAttribute("class")).contains("bad");
        awaitRun("report:" + batch);
        assertThat(count("#timeline .hold")).isZero();
        assertThat(unfold("report-section", "The Java that does it")).contains("renderWithoutPermit");
    }
}
