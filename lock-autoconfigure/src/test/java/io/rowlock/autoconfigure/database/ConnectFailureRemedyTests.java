package io.rowlock.autoconfigure.database;

import static org.assertj.core.api.Assertions.assertThat;

import io.rowlock.autoconfigure.diagnostics.RowlockSetupException;
import java.security.cert.CertificateExpiredException;
import java.sql.SQLException;
import java.time.Duration;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

/** Failures that look like a network's, and are not. */
class ConnectFailureRemedyTests {
    private static RowlockSetupException of(SQLException error) {
        return ConnectFailure.explain(error, Duration.ofSeconds(30)).orElseThrow();
    }

    @Test
    void failedHandshakeIsNoMatterOfHostAndFirewall() {
        SQLException untrusted =
                new SQLException("Communications link failure", "08S01", new SSLHandshakeException("PKIX path"));
        assertThat(of(untrusted)).hasMessageContaining("TLS").hasMessageContaining("PKIX path");
        SQLException expired =
                new SQLException("Communications link failure", "08S01", new CertificateExpiredException("NotAfter"));
        assertThat(of(expired)).hasMessageContaining("TLS");
    }

    @Test
    void serverThatInsistsOnTlsIsNamedAsThat() {
        SQLException required = new SQLException("Connections using insecure transport are prohibited", "HY000", 3159);
        assertThat(of(required)).hasMessageContaining("no connection without TLS");
    }

    @Test
    void malformedUrlIsNotPrintedAgain() {
        SQLException malformed = new SQLException(
                "Malformed database URL, failed to parse the URL authority segment 'u:secret@db'", "01S00", 0);
        assertThat(of(malformed))
                .hasMessageContaining("cannot read the URL")
                .hasMessageNotContaining("secret")
                .hasNoCause();
    }
}
