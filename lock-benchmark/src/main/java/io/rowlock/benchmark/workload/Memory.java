package io.rowlock.benchmark.workload;

import io.rowlock.benchmark.process.ChildJvm;
import io.rowlock.benchmark.report.Units;
import java.io.BufferedReader;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * What a client keeps of keys it has used, and of locks it holds; measured by {@link MemoryProbe} in a process of its own.
 */
final class Memory implements Workload {
    private static final String WORKLOAD = "memory";
    private static final Map<String, String> UNITS = Map.of(
            MemoryProbe.RETAINED, Units.RETAINED_A_KEY,
            MemoryProbe.HELD, Units.HELD);

    @Override
    public String name() {
        return WORKLOAD;
    }

    @Override
    public void measure(Run run) throws Exception {
        Process probe = ChildJvm.start(run.servers(), MemoryProbe.class, "-Xms512m", "-Xmx512m");
        try (BufferedReader lines = probe.inputReader(StandardCharsets.UTF_8)) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String[] words = line.split(" ", -1);
                String unit = UNITS.get(words[0]);
                if (unit != null) {
                    run.samples().add(name(), words[1], unit, Double.parseDouble(words[2]));
                }
            }
        }
        if (probe.waitFor() != 0) {
            throw new IllegalStateException("The memory probe failed");
        }
    }
}
