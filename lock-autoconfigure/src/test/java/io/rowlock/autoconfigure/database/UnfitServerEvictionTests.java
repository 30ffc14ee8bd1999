package io.rowlock.autoconfigure.database;

import static com.zaxxer.hikari.SQLExceptionOverride.Override.CONTINUE_EVICT;
import static com.zaxxer.hikari.SQLExceptionOverride.Override.DO_NOT_EVICT;
import static com.zaxxer.hikari.SQLExceptionOverride.Override.MUST_EVICT;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.SQLExceptionOverride;
import java.sql.SQLException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnfitServerEvictionTests {
    private final UnfitServerEviction alone = new UnfitServerEviction(null);

    @ParameterizedTest
    @ValueSource(ints = {1290, 1792, 1836, 1047})
    void serverThatRefusesToWriteLosesTheConnection(int code) {
        assertThat(alone.adjudicate(error(code))).isEqualTo(MUST_EVICT);
    }

    @Test
    void everythingElseIsLeftToWhatTheApplicationChose() {
        SQLExceptionOverride chosen = new SQLExceptionOverride() {
            @java.lang.Override
            public SQLExceptionOverride.Override adjudicate(SQLException error) {
                return DO_NOT_EVICT;
            }
        };
        assertThat(alone.adjudicate(error(1213))).isEqualTo(CONTINUE_EVICT);
        assertThat(new UnfitServerEviction(chosen).adjudicate(error(1213))).isEqualTo(DO_NOT_EVICT);
    }

    private static SQLException error(int code) {
        return new SQLException("told", "HY000", code);
    }
}
