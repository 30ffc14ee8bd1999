package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

@ExtendWith(OutputCaptureExtension.class)
class InboxTests {
    @Test
    void messageThatIsNotUnderstoodForgesNoLine(CapturedOutput output) {
        Inbox inbox = new Inbox(RedisSettings.DEFAULT, () -> {});
        inbox.message(inbox.channel(), "nonce x\nWARN forged 0 0 ");
        assertThat(output)
                .contains("A message of Redis was not understood: nonce x\\nWARN forged")
                .doesNotContain("\nWARN forged");
    }
}
