package io.rowlock.verification;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.rowlock.verification.fault.Database;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Breaks one rule of the code after the other, as {@code mutants.txt} lists them, runs nodes with it, and says after how many operations
 * a judge has noticed. The code itself stays as it is: nodes load the broken class before the sound one.
 */
final class Mutants {
    private static final Path LIST = Path.of("mutants.txt");
    private static final String SOURCES = "src/main/java/";
    private static final String RESOURCES = "src/main/resources/";

    /**
     * A rule that is broken.
     *
     * @param file relative to the repository
     * @param sound what stands there, once
     * @param broken what stands there instead
     * @param uses what nodes do, where that shows it soon
     * @param faults that happen, or empty for all
     * @param quick how many more threads take locks without a pause, or 0 for as many as were chosen
     */
    record Mutant(String name, String file, String sound, String broken, String uses, String faults, int quick) {
        static Mutant parse(String line) {
            String[] parts = line.split(" \\| ", -1);
            if (parts.length < 5) {
                throw new IllegalArgumentException("Five to seven parts are needed: " + line);
            }
            String faults = parts.length > 5 ? parts[5] : "";
            return new Mutant(
                    parts[0],
                    parts[1],
                    parts[2].replace("\\n", "\n"),
                    parts[3].replace("\\n", "\n"),
                    parts[4],
                    faults,
                    parts.length > 6 ? Integer.parseInt(parts[6]) : 0);
        }

        String text() throws IOException {
            String text = Files.readString(Path.of("..").resolve(file));
            int at = text.indexOf(sound);
            if (at < 0 || text.indexOf(sound, at + 1) >= 0) {
                throw new IllegalArgumentException(name + " needs to find once: " + sound);
            }
            return text.replace(sound, broken);
        }

        private int rootEnd() {
            String root = file.contains(SOURCES) ? SOURCES : RESOURCES;
            return file.indexOf(root) + root.length();
        }

        /** Writes the broken class, or script, below a directory. */
        void apply(Path classes) throws IOException {
            Path target = classes.resolve(file.substring(rootEnd()));
            Files.createDirectories(target.getParent());
            Files.writeString(target, text());
            if (file.endsWith(".java")) {
                compile(target, classes);
            }
        }

        private static void compile(Path source, Path classes) throws IOException {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            StringWriter said = new StringWriter();
            try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, UTF_8)) {
                List<String> options = List.of(
                        "-nowarn",
                        "-parameters",
                        "-proc:none",
                        "-d",
                        classes.toString(),
                        "-classpath",
                        System.getProperty("java.class.path"));
                if (!compiler.getTask(said, files, null, options, null, files.getJavaFileObjects(source))
                        .call()) {
                    throw new IOException(said.toString());
                }
            }
        }
    }

    private Mutants() {}

    static List<Mutant> all() throws IOException {
        return Files.readAllLines(LIST).stream()
                .filter(line -> !line.isBlank() && !line.startsWith("#"))
                .map(Mutant::parse)
                .toList();
    }

    /** @return how many were not caught */
    static int run(Settings settings, String chosen, Database database) throws Exception {
        List<String> missed = new ArrayList<>();
        for (Mutant mutant : all()) {
            if (!chosen.equals("all") && !List.of(chosen.split(",", -1)).contains(mutant.name())) {
                continue;
            }
            Path work = Files.createTempDirectory(Files.createDirectories(Path.of("target")), mutant.name() + "-")
                    .toAbsolutePath();
            Path classes = work.resolve("classes");
            mutant.apply(classes);
            Verification.Outcome outcome = Verification.run(
                    settings.forMutant(mutant.uses(), mutant.faults(), mutant.quick(), classes.toString()),
                    Files.createDirectory(work.resolve("histories")),
                    database);
            String verdict = outcome.violations().isEmpty()
                    ? "MISSED in " + outcome.history().calls()
                    : "caught after " + outcome.operationsUntilFirst();
            System.out.printf("%-30s %s operations: %s%n", mutant.name(), verdict, outcome.rules());
            if (outcome.violations().isEmpty()) {
                missed.add(mutant.name());
            }
        }
        System.out.println("Missed: " + missed);
        return missed.size();
    }
}
