package io.rowlock.annotation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Refuses a lock name that looks like an expression. A name is a literal, so with {@code "order:#orderId"} all orders would
 * share one lock. A text that is meant literally can stand in the key, as a SpEL string: {@code key = "'C#sharp'"}.
 */
final class LiteralName {
    private static final String IDENTIFIER = "[\\p{Alpha}_$][\\w$]*";
    private static final String REFERENCE = "(?:#IDENTIFIER|(?<![\\w.])@IDENTIFIER(?=\\.))";
    private static final String PATH = "(?:\\??\\.IDENTIFIER|\\([^()]*\\)|\\[[^\\[\\]]*])*";

    /** {@code #{…}}, {@code #variable} or {@code @bean.} with what follows it; not the {@code @} of an e-mail address. */
    private static final Pattern EXPRESSION =
            Pattern.compile(("#\\{(?<template>[^}]*)}?|" + REFERENCE + PATH).replace("IDENTIFIER", IDENTIFIER));

    private LiteralName() {}

    /**
     * Checks a name whose placeholders are resolved.
     *
     * @param label the annotation, as it is written
     * @param key the key expression beside the name, or null if there is none
     * @throws IllegalArgumentException if the name looks like an expression; the message shows the annotation as it should be
     */
    static void check(String label, String name, @Nullable String key) {
        Matcher found = EXPRESSION.matcher(name);
        if (found.find()) {
            throw new IllegalArgumentException(
                    "the name \"%s\" is a literal, but \"%s\" in it looks like an expression, so all calls would share one lock; write %s(%s), or key = \"'%s'\" to mean that text literally"
                            .formatted(name, found.group(), label, corrected(name, key), name.replace("'", "''")));
        }
    }

    private static String corrected(String name, @Nullable String key) {
        List<String> parts = parts(name);
        boolean nameFirst = parts.size() == 2 && parts.get(0).endsWith(":'") && key == null;
        if (nameFirst) {
            String literal = parts.get(0).substring(1, parts.get(0).length() - 2);
            return "name = \"%s\", key = \"%s\"".formatted(literal, parts.get(1));
        }
        if (key != null) {
            parts.add("':'");
            parts.add("(" + key + ")");
        }
        return "key = \"" + String.join(" + ", parts) + "\"";
    }

    /** The literals of a name as SpEL strings, and its expressions. */
    private static List<String> parts(String name) {
        List<String> parts = new ArrayList<>();
        Matcher found = EXPRESSION.matcher(name);
        int end = 0;
        while (found.find()) {
            addLiteral(parts, name.substring(end, found.start()));
            String template = found.group("template");
            parts.add(template == null ? found.group() : template);
            end = found.end();
        }
        addLiteral(parts, name.substring(end));
        return parts;
    }

    private static void addLiteral(List<String> parts, String literal) {
        if (!literal.isEmpty()) {
            parts.add("'" + literal.replace("'", "''") + "'");
        }
    }
}
