package io.rowlock.benchmark.report;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Writes the results of each workload to a file of its own, an array of objects. */
public final class JsonFiles {
    private static final String ENDING = ".json";

    private final JsonMapper mapper =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * @param folder where to, created if need be; results of earlier runs in it are removed
     * @param results all results of one run
     * @throws IOException if that fails
     */
    public void write(Path folder, List<Result> results) throws IOException {
        Files.createDirectories(folder);
        try (DirectoryStream<Path> earlier = Files.newDirectoryStream(folder, "*" + ENDING)) {
            for (Path file : earlier) {
                Files.delete(file);
            }
        }
        Map<String, List<Result>> workloads = results.stream()
                .collect(Collectors.groupingBy(Result::workload, LinkedHashMap::new, Collectors.toList()));
        for (Map.Entry<String, List<Result>> workload : workloads.entrySet()) {
            Files.writeString(folder.resolve(workload.getKey() + ENDING), text(workload.getValue()));
        }
    }

    String text(List<Result> results) {
        return mapper.writeValueAsString(results) + "\n";
    }
}
