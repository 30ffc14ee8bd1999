package io.rowlock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts the sample: this node with its page, and a second node beside it. */
@SpringBootApplication
public class SampleApplication {

    public static void main(String[] args) {
        SpringApplication application = new SpringApplication(SampleApplication.class);
        application.addListeners(new DatabaseIfNoneIsNamed());
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
