package io.rowlock.pages;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.rowlock.autoconfigure.RowlockAutoConfiguration;
import io.rowlock.pages.Page.Block;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.YamlPropertiesFactoryBean;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.core.io.ClassPathResource;
import org.springframework.core.io.UrlResource;

/**
 * Java and YAML of the pages: each block compiles as a whole file, as members of a class or as statements, with the beans of
 * {@code pages/Given.java}; each property exists. The quick start is run by {@code .ci/new-application}, SQL by tests of lock-jdbc,
 * recipes by those of lock-recipes.
 */
class PageBlocksTests {
    private static final Path RECIPES = Path.of("docs/recipes.md");

    private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

    /** Opens the jars of the class path, which is that of this JVM, once for all blocks. */
    private static final StandardJavaFileManager FILES = COMPILER.getStandardFileManager(null, null, null);

    @AfterAll
    static void closeFiles() throws IOException {
        FILES.close();
    }

    static Stream<Block> javaBlocks() {
        return Page.all().stream()
                .filter(page -> page.file().startsWith("docs") || page.file().getNameCount() == 1)
                .filter(page -> !page.file().equals(RECIPES))
                .flatMap(page -> page.blocks("java").stream())
                .filter(block ->
                        !block.text().contains("class Shop") && !block.text().contains("class StockTests"));
    }

    @ParameterizedTest
    @MethodSource("javaBlocks")
    void compiles(Block block, @TempDir Path classes) throws IOException {
        String given = new ClassPathResource("pages/Given.java").getContentAsString(StandardCharsets.UTF_8);
        int types = given.indexOf("// types");
        String imports = given.substring(0, types);
        List<String> ways = new ArrayList<>();
        ways.add(imports + block.text());
        ways.add(imports + "abstract class Block extends Given {\n" + block.text() + "\n}\n");
        ways.add(imports + "class Block extends Given { void run() throws Exception {\n" + block.text() + "\n} }\n");
        List<String> errors = new ArrayList<>();
        for (String way : ways) {
            String refused = errors(classes, source("Given", given), source("Block", way));
            if (refused.isEmpty()) {
                return;
            }
            errors.add(refused);
        }
        assertThat(errors).as(block + " compiles in none of the ways").isEmpty();
    }

    /** A recipe is a source of lock-recipes as it stands there, and each of them is on the page. */
    @Test
    void recipesAreThoseThatAreTested() throws IOException {
        try (Stream<Path> files = Files.walk(Page.ROOT.resolve("lock-recipes/src/test/java/io/rowlock/recipes"))) {
            List<String> sources = new ArrayList<>();
            for (Path file : files.filter(file -> file.toString().matches(".*/recipes/\\w+/\\w+\\.java"))
                    .filter(file -> !file.toString().endsWith("Tests.java"))
                    .toList()) {
                sources.add(Files.readString(file).split(";\n\n", 2)[1]);
            }
            assertThat(Page.of(RECIPES.toString()).blocks("java"))
                    .extracting(Block::text)
                    .hasSizeGreaterThan(5)
                    .containsExactlyInAnyOrderElementsOf(sources);
        }
    }

    private static String errors(Path classes, JavaFileObject... sources) throws IOException {
        StringWriter messages = new StringWriter();
        FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
        List<String> options = List.of("-proc:none", "-parameters", "-nowarn");
        return COMPILER.getTask(messages, FILES, null, options, null, List.of(sources))
                        .call()
                ? ""
                : messages.toString();
    }

    private static JavaFileObject source(String name, String text) {
        return new SimpleJavaFileObject(URI.create("string:///" + name + ".java"), JavaFileObject.Kind.SOURCE) {
            @Override
            public CharSequence getCharContent(boolean ignoreEncodingErrors) {
                return text;
            }
        };
    }

    static Stream<Block> yamlBlocks() {
        return Page.all().stream().flatMap(page -> page.blocks("yaml").stream());
    }

    @ParameterizedTest
    @MethodSource("yamlBlocks")
    void namesPropertiesThatExist(Block block) throws IOException {
        YamlPropertiesFactoryBean yaml = new YamlPropertiesFactoryBean();
        yaml.setResources(new ByteArrayResource(block.text().getBytes(StandardCharsets.UTF_8)));
        TreeSet<Object> unknown = new TreeSet<>(yaml.getObject().keySet());
        Set<String> known = known();
        unknown.removeIf(name -> known.stream().anyMatch(property -> isOf((String) name, property)));
        assertThat(unknown).as(block.toString()).isEmpty();
    }

    /** A list has a number, and a map any name in place of the star. */
    private static boolean isOf(String name, String property) {
        String pattern =
                property.replace(".*", "\u0000").replace(".", "\\.").replace("\u0000", "(?:\\.[\\w-]+|\\[[^]]+])");
        return name.matches(pattern + "(?:\\[\\d+]|\\.[\\w-]+)?");
    }

    private static Set<String> known() throws IOException {
        Set<String> names = new HashSet<>();
        for (var metadata : java.util.Collections.list(
                PageBlocksTests.class.getClassLoader().getResources("META-INF/spring-configuration-metadata.json"))) {
            names.addAll(names(new UrlResource(metadata)));
        }
        names.addAll(names(new UrlResource(RowlockAutoConfiguration.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation())
                .createRelative("META-INF/spring-configuration-metadata.json")));
        return names;
    }

    private static List<String> names(org.springframework.core.io.Resource metadata) throws IOException {
        List<Map<String, Object>> all =
                JsonPath.read(metadata.getContentAsString(StandardCharsets.UTF_8), "$.properties");
        return all.stream().map(property -> (String) property.get("name")).toList();
    }

    /** A block that leaves something out would count as compiled, though no reader can use it. */
    @Test
    void noBlockLeavesSomethingOut() {
        assertThat(Page.forUsers().stream().flatMap(page -> page.blocks().stream()))
                .filteredOn(
                        block -> Set.of("java", "yaml", "sql", "xml", "kotlin").contains(block.language()))
                .allSatisfy(
                        block -> assertThat(block.text()).as(block.toString()).doesNotContain("…", "..."));
    }
}
