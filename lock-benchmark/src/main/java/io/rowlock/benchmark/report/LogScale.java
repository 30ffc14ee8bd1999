package io.rowlock.benchmark.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** A logarithmic scale from the power of ten below the least positive value to the one above the greatest. */
record LogScale(int lowest, int highest, double length) {

    static LogScale of(Collection<Double> values, double length) {
        double least =
                values.stream().filter(value -> value > 0).min(Double::compare).orElse(1.0);
        double greatest =
                values.stream().max(Double::compare).filter(value -> value > 0).orElse(1.0);
        int lowest = (int) Math.floor(Math.log10(least) - 1e-9);
        return new LogScale(lowest, Math.max(lowest + 1, (int) Math.ceil(Math.log10(greatest) - 1e-9)), length);
    }

    /** What is not above the lowest power, such as 0, is at the beginning. */
    double position(double value) {
        return value <= 0 ? 0 : Math.max(0, (Math.log10(value) - lowest) / (highest - lowest) * length);
    }

    List<Double> decades() {
        List<Double> decades = new ArrayList<>();
        for (int power = lowest; power <= highest; power++) {
            decades.add(Math.pow(10, power));
        }
        return decades;
    }
}
