package io.rowlock.benchmark.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.io.StringReader;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class BarChartTests {

    @Test
    void aBarIsAsLongAsTheLogarithmOfItsFigure() throws Exception {
        Document chart = parsed(List.of(pairs("rowlock-lease", 10), pairs("redisson", 1_000)));

        assertThat(width(chart, "peer") / width(chart, "own")).isGreaterThan(2.9);
        assertThat(chart.getDocumentElement().getTextContent()).contains("rowlock-lease", "redisson", "1,000");
    }

    @Test
    void whatWasNotMeasuredHasNoPanel() throws Exception {
        assertThat(parsed(List.of(pairs("rowlock-lease", 10)))
                        .getDocumentElement()
                        .getTextContent())
                .contains("uncontended-1, pairs/s")
                .doesNotContain("handoff");
    }

    @Test
    void aContenderComparedTwiceHasOneBar() throws Exception {
        Result other = new Result("uncontended-1", "rowlock-lease", 10, 10, 10, Units.PAIRS, "shedlock", 2.0);

        assertThat(bars(parsed(List.of(pairs("rowlock-lease", 10), other)), "own"))
                .hasSize(1);
    }

    @Test
    void coloursFollowThePage() {
        assertThat(new BarChart().draw(List.of())).contains("@media (prefers-color-scheme: dark)");
    }

    @Test
    void scaleReachesFromPowerToPower() {
        LogScale scale = LogScale.of(List.of(3.0, 4_000.0), 400);

        assertThat(scale.decades()).containsExactly(1.0, 10.0, 100.0, 1_000.0, 10_000.0);
        assertThat(scale.position(1)).isZero();
        assertThat(scale.position(100)).isEqualTo(200, within(1e-9));
        assertThat(scale.position(0)).isZero();
        assertThat(scale.position(-5)).isZero();
    }

    @Test
    void leastFigureHasABarThoughItIsAPowerOfTen() {
        assertThat(LogScale.of(List.of(10.0, 100.0), 200).position(10)).isEqualTo(100, within(1e-9));
    }

    private static Result pairs(String contender, double value) {
        return new Result("uncontended-1", contender, value, value, value, Units.PAIRS, null, null);
    }

    private static Document parsed(List<Result> results) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(new BarChart().draw(results))));
    }

    private static double width(Document chart, String family) {
        return Double.parseDouble(bars(chart, family).get(0).getAttribute("width"));
    }

    private static List<Element> bars(Document chart, String family) {
        NodeList all = chart.getElementsByTagName("rect");
        return java.util.stream.IntStream.range(0, all.getLength())
                .mapToObj(i -> (Element) all.item(i))
                .filter(bar -> bar.getAttribute("class").equals(family))
                .toList();
    }
}
