package io.rowlock.test;

import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;

/** What {@link OnEachServer} does to a test class. */
final class EachServerExtension implements ClassTemplateInvocationContextProvider {
    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<Run> provideClassTemplateInvocationContexts(ExtensionContext context) {
        return Stream.of(ServerFlavor.values()).map(Run::new);
    }

    /**
     * A run of a class.
     *
     * @param flavor the kind of server it is on
     */
    private record Run(ServerFlavor flavor) implements ClassTemplateInvocationContext {
        @Override
        public String getDisplayName(int invocationIndex) {
            return flavor.toString();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(new FlavorExtension(flavor));
        }
    }
}
