package io.rowlock.benchmark.report;

import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;

/** Numbers for people to read. */
final class Numbers {
    private Numbers() {}

    /** Three digits, or all before the point. */
    static String text(double value) {
        if (Math.abs(value) >= 1_000) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        BigDecimal rounded = new BigDecimal(value).round(new MathContext(3)).stripTrailingZeros();
        return rounded.signum() == 0 ? "0" : rounded.toPlainString();
    }
}
