package io.rowlock.benchmark.workload;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/** All workloads, in the order in which they run. */
public final class Workloads {
    private static final List<Workload> ALL = List.of(
            new Uncontended(1),
            new Uncontended(8),
            new Uncontended(32),
            new Uncontended(128),
            new ContendedInOneProcess(),
            new Handoff(),
            new ReadWrite(),
            new RenewalTick(),
            new GuardedTransaction(),
            new AnnotationOverhead(),
            new StartUp(),
            new NewKeys(1),
            new NewKeys(8),
            new NewKeys(32),
            new CleanUp(),
            new Memory(),
            new WaitingLoad());

    private Workloads() {}

    /**
     * @param settings which of them
     * @return the chosen ones
     * @throws IllegalArgumentException if one is named that there is not
     */
    public static List<Workload> chosen(Settings settings) {
        Set<String> unknown = new TreeSet<>(settings.workloads());
        ALL.forEach(workload -> unknown.remove(workload.name()));
        if (!unknown.isEmpty()) {
            throw new IllegalArgumentException("There is no workload %s, only %s"
                    .formatted(unknown, ALL.stream().map(Workload::name).toList()));
        }
        return ALL.stream()
                .filter(workload -> settings.includes(workload.name()))
                .toList();
    }
}
