package io.rowlock.sample;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.test.OnServer;
import io.rowlock.test.database.TestSchema;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The sample as the build has processed it ahead of time, which is what a native image is made of. */
@Tag("full")
@OnServer
class AheadOfTimeTests {
    @Test
    void startsWithTheBeansThatTheBuildHasWritten(TestSchema schema) throws Exception {
        Map<String, String> shown = Map.of("SPRING_MAIN_LOGSTARTUPINFO", "true");
        try (SampleProcess sample = SampleProcess.start(schema, shown, "-Dspring.aot.enabled=true")) {
            sample.awaitNodes();
            assertThat(sample.output()).contains("Starting AOT-processed SampleApplication");
        }
    }
}
