package io.rowlock.client.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.rowlock.LockMode;
import io.rowlock.LockRequest;
import io.rowlock.client.SteeredStore;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RequestResolverTests {
    private static final LockClientSettings SETTINGS = settings("owner", "app", Duration.ofSeconds(10), null);

    private final RequestResolver resolver = new RequestResolver(
            List.of(
                    new SteeredStore("lease", LockMode.values()),
                    new SteeredStore("exclusive-only", LockMode.EXCLUSIVE)),
            SETTINGS);

    private static LockClientSettings settings(String owner, String prefix, Duration wait, Duration interval) {
        return new LockClientSettings(
                "lease", Duration.ofSeconds(30), wait, prefix, owner, true, interval, Handoff.DEFAULT);
    }

    @Test
    void defaultsAreFilledIn() {
        ResolvedRequest resolved = resolver.resolve(LockRequest.exclusive("k")).get(0);
        assertThat(resolved.name()).isEqualTo("k");
        assertThat(resolved.key()).isEqualTo("app\u001fk");
        assertThat(resolved.ttl()).isEqualTo(Duration.ofSeconds(30));
        assertThat(resolved.renewal()).isTrue();
        assertThat(resolved.id()).isEqualTo(new ResolvedRequest.Id("lease", "app\u001fk", false));
        assertThat(resolved.leaseRequest(Duration.ofSeconds(3)).nonce()).isPositive();
        assertThat(resolver.patience(LockRequest.exclusive("k"))).isEqualTo(Duration.ofSeconds(10));
    }

    @Test
    void requestWins() {
        LockRequest request = LockRequest.exclusive("k")
                .withTtl(Duration.ofSeconds(3))
                .withRenewal(false)
                .withStrategy("exclusive-only")
                .withWaitTime(Duration.ZERO)
                .withHoldAtLeast(Duration.ofSeconds(2));
        ResolvedRequest resolved = resolver.resolve(request).get(0);
        assertThat(resolved.ttl()).isEqualTo(Duration.ofSeconds(3));
        assertThat(resolved.renewal()).isFalse();
        assertThat(resolved.store().strategy()).isEqualTo("exclusive-only");
        assertThat(resolved.asked().holdAtLeast()).isEqualTo(Duration.ofSeconds(2));
        assertThat(resolver.patience(request)).isZero();
    }

    @Test
    void refusalsNameTheOffender() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(LockRequest.exclusive("k").withStrategy("nope")))
                .withMessageContaining("nope")
                .withMessageContaining("exclusive-only");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(LockRequest.exclusive("k").withTtl(Duration.ofMillis(999))))
                .withMessageContaining("999ms")
                .withMessageContaining("1s to 365d");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(
                        LockRequest.of(LockMode.SHARED, List.of("k")).withStrategy("exclusive-only")))
                .withMessageContaining("shared");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(LockRequest.exclusive("é".repeat(126))))
                .withMessageContaining("256")
                .withMessageContaining("255");
        assertThat(resolver.resolve(LockRequest.exclusive("x".repeat(251)))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {" app", "app ", "a\u001fb", "a\nb"})
    void prefixThatCouldBeMisreadIsRefused(String prefix) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("o", prefix, Duration.ZERO, null))
                .withMessageContaining("The key prefix");
    }

    @Test
    void characterThatEndsAPrefixIsInNoKey() {
        String end = SETTINGS.stored("").substring(SETTINGS.keyPrefix().length());
        assertThat(end).hasSize(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(LockRequest.exclusive("shop" + end + "order")))
                .withMessageContaining("U+001F")
                .withMessageContaining("shop\\u001forder");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> resolver.resolve(LockRequest.exclusive(end + "order")))
                .withMessageContaining("U+001F");
        assertThat(SETTINGS.named(SETTINGS.stored("k"))).isEqualTo("k");
        assertThat(settings("o", "", Duration.ZERO, null).stored("k")).isEqualTo("k");
    }

    @Test
    void settingsAreHeldToTheirLimits() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("", "", Duration.ZERO, null))
                .withMessageContaining("owner");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("x".repeat(101), "", Duration.ZERO, null))
                .withMessageContaining("101");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("o", "é".repeat(101), Duration.ZERO, null))
                .withMessageContaining("202");
        assertThatIllegalArgumentException().isThrownBy(() -> settings("o", "", Duration.ofMillis(-1), null));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings("o", "", Duration.ofDays(366), null))
                .withMessage("The waitTime is 366d, the limit is 365d");
        assertThatIllegalArgumentException().isThrownBy(() -> settings("o", "", Duration.ZERO, Duration.ZERO));
    }
}
