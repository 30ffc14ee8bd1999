package io.rowlock.test;

import io.rowlock.test.database.DatabaseServer;
import io.rowlock.test.database.ServerFlavor;
import io.rowlock.test.database.ServerSearch;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.ModifierSupport;

/**
 * The class that carries {@link OnServer}, itself or by inheritance, and the flavours that will do for it.
 *
 * @param owner the test class, or the outermost one around a nested class
 */
record ServerChoice(Class<?> owner, List<ServerFlavor> flavors) {

    static Optional<ServerChoice> of(Class<?> testClass) {
        return Stream.<@Nullable Class<?>>iterate(testClass, Objects::nonNull, ServerChoice::around)
                .filter(candidate -> AnnotationSupport.isAnnotated(candidate, OnServer.class))
                .reduce((inner, outer) -> outer)
                .flatMap(owner -> AnnotationSupport.findAnnotation(owner, OnServer.class)
                        .map(annotation -> new ServerChoice(owner, flavors(annotation))));
    }

    private static List<ServerFlavor> flavors(OnServer chosen) {
        boolean others = FullBuild.isRunning() && chosen.inFullBuild().length > 0;
        return List.of(others ? chosen.inFullBuild() : chosen.value());
    }

    Optional<DatabaseServer> server() {
        return flavors.stream()
                .flatMap(flavor -> DatabaseServer.find(flavor).stream())
                .findFirst();
    }

    String explanation() {
        return flavors.stream()
                .map(flavor -> ServerSearch.result(flavor).explanation())
                .collect(Collectors.joining(" "));
    }

    /** The class around an inner one; a static member class is a test class in its own right. */
    private static @Nullable Class<?> around(Class<?> testClass) {
        return ModifierSupport.isStatic(testClass) ? null : testClass.getEnclosingClass();
    }
}
