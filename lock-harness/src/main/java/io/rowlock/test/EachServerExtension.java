package io.rowlock.test;

import io.rowlock.test.database.ServerFlavor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;

/** Runs a test class on the servers that {@link OnEachServer} chooses. */
final class EachServerExtension implements ClassTemplateInvocationContextProvider {
    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public boolean mayReturnZeroClassTemplateInvocationContexts(ExtensionContext context) {
        return true; // all was done in the other build
    }

    @Override
    public Stream<ServerRun> provideClassTemplateInvocationContexts(ExtensionContext context) {
        OnEachServer chosen = AnnotationSupport.findAnnotation(context.getRequiredTestClass(), OnEachServer.class)
                .orElseThrow();
        List<ServerRun> inEveryBuild = new ArrayList<>();
        List<ServerRun> inFullBuild = new ArrayList<>(
                Arrays.stream(ServerFlavor.values()).map(ServerRun::on).toList());
        if (chosen.dependsOnServer()) {
            inEveryBuild.addAll(inFullBuild);
        } else {
            inEveryBuild.add(inFullBuild.stream()
                    .filter(ServerRun::isPossible)
                    .findFirst()
                    .orElse(inFullBuild.get(0)));
        }
        if (!chosen.inBothBuilds()) {
            inFullBuild.removeAll(inEveryBuild);
        }
        if (chosen.mariaDb118()) {
            inFullBuild.add(ServerRun.onMariaDb118());
        }
        return (FullBuild.isRunning() ? inFullBuild : inEveryBuild).stream();
    }
}
