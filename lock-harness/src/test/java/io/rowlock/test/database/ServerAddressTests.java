package io.rowlock.test.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerAddressTests {

    @Test
    void urlIsTakenApartAndPutTogetherForAnotherSchema() {
        ServerAddress address =
                ServerAddress.parse("jdbc:mysql://db:3306/test?user=root&password=a%26b&sslMode=DISABLED&b=1");
        assertThat(address.username()).isEqualTo("root");
        assertThat(address.password()).isEqualTo("a&b");
        assertThat(address.url("mine")).isEqualTo("jdbc:mysql://db:3306/mine?b=1&sslMode=DISABLED");
    }

    @Test
    void everythingButTheHostMayBeLeftOut() {
        assertThat(ServerAddress.parse("jdbc:mysql://db").url("s")).isEqualTo("jdbc:mysql://db/s");
        assertThat(ServerAddress.parse("jdbc:mysql://db/").username()).isEmpty();
    }

    @Test
    void mariaDbUrlIsUsedWithConnectorJ() {
        assertThat(ServerAddress.parse("jdbc:mariadb://db:1/x?user=u").url("s")).isEqualTo("jdbc:mysql://db:1/s");
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1:3306/x, allowPublicKeyRetrieval=true&sslMode=DISABLED",
        "localhost, allowPublicKeyRetrieval=true&sslMode=DISABLED",
        "[::1]:1, allowPublicKeyRetrieval=true&sslMode=DISABLED",
        "localhost?sslMode=REQUIRED, sslMode=REQUIRED",
        "localhost?useSSL=true, useSSL=true",
        "localhost?allowPublicKeyRetrieval=false, allowPublicKeyRetrieval=false&sslMode=DISABLED",
    })
    void loopbackNeedsNoTlsUnlessTheUrlSaysSo(String given, String query) {
        assertThat(ServerAddress.parse("jdbc:mysql://" + given)
                        .plainOnLoopback()
                        .url("s"))
                .endsWith("/s?" + query);
    }

    @Test
    void otherHostsMayAskForTls() {
        assertThat(ServerAddress.parse("jdbc:mysql://localhost.example")
                        .plainOnLoopback()
                        .url("s"))
                .isEqualTo("jdbc:mysql://localhost.example/s");
    }

    @Test
    void otherDatabasesAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ServerAddress.parse("jdbc:postgresql://db/x"))
                .withMessageContaining("jdbc:postgresql://db/x");
    }
}
