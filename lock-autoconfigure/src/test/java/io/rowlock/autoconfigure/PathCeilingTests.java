package io.rowlock.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.ListeningConnector;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import io.rowlock.autoconfigure.application.FreshSchema;
import io.rowlock.test.OnServer;
import io.rowlock.test.database.DatabaseServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An uncontended call passes few types of this project. A debugger notes the methods that its thread enters, so what other threads do
 * meanwhile does not count.
 */
@OnServer
class PathCeilingTests {
    /** Only falls. */
    private static final int MOST_TYPES = 60;

    /** With fewer, the call was not seen. */
    private static final int FEWEST_TYPES = 30;

    private static final Duration PATIENCE = Duration.ofMinutes(3);

    @TempDir
    private Path folder;

    @Test
    void uncontendedCallPassesNoMoreTypesThanBefore(DatabaseServer server) throws Exception {
        FreshSchema schema = FreshSchema.on(server);
        try {
            Set<String> types = typesPassed(schema);
            assertThat(types.size())
                    .as("Types that a call passes: %s", String.join(System.lineSeparator(), types))
                    .isBetween(FEWEST_TYPES, MOST_TYPES);
        } finally {
            schema.close();
        }
    }

    /** Leaves out dynamic-datasource, which few applications have: with it, each call asks whether one of its transactions is open. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .filter(entry -> !entry.contains("dynamic-datasource"))
                .collect(Collectors.joining(File.pathSeparator));
    }

    private Set<String> typesPassed(FreshSchema schema) throws Exception {
        ListeningConnector connector = Bootstrap.virtualMachineManager().listeningConnectors().stream()
                .filter(each -> each.transport().name().equals("dt_socket"))
                .findFirst()
                .orElseThrow();
        Map<String, Connector.Argument> arguments = connector.defaultArguments();
        arguments.get("localAddress").setValue("127.0.0.1");
        arguments.get("port").setValue("0");
        arguments.get("timeout").setValue(String.valueOf(PATIENCE.toMillis()));
        connector.startListening(arguments);
        Path output = folder.resolve("output");
        Process child = start(arguments.get("port").value(), schema, output);
        try {
            return typesPassed(connector.accept(arguments), output);
        } finally {
            connector.stopListening(arguments);
            child.destroyForcibly().waitFor();
        }
    }

    private static Process start(String port, FreshSchema schema, Path output) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-agentlib:jdwp=transport=dt_socket,server=n,suspend=y,address=127.0.0.1:" + port,
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        classPath(),
                        OneCall.class.getName(),
                        schema.schema().jdbcUrl(),
                        schema.schema().username(),
                        schema.schema().password())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
    }

    /** Events of one thread come in order. */
    private static Set<String> typesPassed(VirtualMachine child, Path output) throws Exception {
        ClassPrepareRequest warm = child.eventRequestManager().createClassPrepareRequest();
        warm.addClassFilter(OneCall.Measured.class.getName());
        warm.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        warm.enable();
        Set<String> types = new TreeSet<>();
        while (true) {
            EventSet events = child.eventQueue().remove(PATIENCE.toMillis());
            if (events == null) {
                return fail("The call does not end:%n%s", Files.readString(output));
            }
            for (Event event : events) {
                if (event instanceof ClassPrepareEvent prepared) {
                    noteMethods(child, prepared.thread());
                } else if (event instanceof MethodEntryEvent entry) {
                    if (isEnd(entry)) {
                        return types;
                    }
                    note(entry, types);
                } else if (event instanceof VMDeathEvent || event instanceof VMDisconnectEvent) {
                    return fail("The application ended before its call:%n%s", Files.readString(output));
                }
            }
            events.resume();
        }
    }

    private static void noteMethods(VirtualMachine child, ThreadReference caller) {
        MethodEntryRequest entries = child.eventRequestManager().createMethodEntryRequest();
        entries.addClassFilter("io.rowlock.*");
        entries.addThreadFilter(caller);
        entries.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        entries.enable();
    }

    private static boolean isEnd(MethodEntryEvent entry) {
        return entry.method().declaringType().name().equals(OneCall.Measured.class.getName())
                && entry.method().name().equals(OneCall.Measured.END);
    }

    private static void note(MethodEntryEvent entry, Set<String> types) {
        String type = entry.method().declaringType().name();
        String topLevel = type.contains("$") ? type.substring(0, type.indexOf('$')) : type;
        if (!topLevel.equals(OneCall.class.getName())) {
            types.add(topLevel);
        }
    }
}
