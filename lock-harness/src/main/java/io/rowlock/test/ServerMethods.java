package io.rowlock.test;

import java.lang.annotation.Annotation;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.platform.commons.support.AnnotationSupport;
import org.junit.platform.commons.support.HierarchyTraversalMode;

/** Calls the methods of a test class that are marked with {@link BeforeServer} or {@link AfterServer}. */
final class ServerMethods {
    private ServerMethods() {}

    static void before(ExtensionContext context) {
        call(context, BeforeServer.class, HierarchyTraversalMode.TOP_DOWN);
    }

    static void after(ExtensionContext context) {
        call(context, AfterServer.class, HierarchyTraversalMode.BOTTOM_UP);
    }

    private static void call(ExtensionContext context, Class<? extends Annotation> mark, HierarchyTraversalMode order) {
        Object test = context.getTestInstance().orElse(null);
        AnnotationSupport.findAnnotatedMethods(context.getRequiredTestClass(), mark, order)
                .forEach(method -> context.getExecutableInvoker().invoke(method, test));
    }
}
