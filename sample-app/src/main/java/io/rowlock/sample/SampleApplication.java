package io.rowlock.sample;

import io.rowlock.sample.stage.Servers;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/** Starts the sample: the page, and the nodes as processes of their own beside it ({@link SampleNode}). */
@SpringBootApplication
@EnableScheduling
public class SampleApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(SampleApplication.class);
        if (!Boolean.getBoolean("spring.aot.processing")) { // then nothing is served, and no database asked
            application.addListeners(new Servers());
        }
        try {
            application.run(args);
        } catch (SpringApplication.AbandonedRunException processedAheadOfTime) {
            throw processedAheadOfTime;
        } catch (RuntimeException reported) {
            // Spring Boot has said why; without an exit the embedded database would keep this JVM alive
            System.exit(1);
        }
    }
}
