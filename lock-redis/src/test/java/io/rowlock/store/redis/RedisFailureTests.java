package io.rowlock.store.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.rowlock.store.UncertainOutcomeException;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RedisFailureTests {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    READONLY You can't write against a read only replica. script: 3f, on @user_script:45. | READ_ONLY
                    ERR Error running script: @user_script:1: -READONLY You can't write against a read only replica | READ_ONLY
                    OOM command not allowed when used memory > 'maxmemory'. | OUT_OF_MEMORY
                    LOADING Redis is loading the dataset in memory | NOT_READY
                    MASTERDOWN Link with MASTER is down | NOT_READY
                    MISCONF Redis is configured to save RDB snapshots | NOT_READY
                    NOREPLICAS Not enough good replicas to write. | NOT_READY
                    BUSY Redis is busy running a script. | NOT_READY
                    CLUSTERDOWN Hash slot not served | CLUSTER_DOWN
                    NOPERM this user has no permissions to run the 'evalsha' command | NO_RIGHTS
                    ERR The user executing the script can't run this command or subcommand script: 9b, on @user_script:137. | NO_RIGHTS
                    ERR ACL failure in script: User locker has no permissions to run the 'publish' command script: 9b | NO_RIGHTS
                    ERR something else | OTHER
                    """)
    void serversWordDecides(String message, RedisFailure expected) {
        assertThat(RedisFailure.of(new RedisCommandExecutionException(message))).isEqualTo(expected);
    }

    @Test
    void whatWasNotSentHasNoEffect() {
        for (RedisException notSent : new RedisException[] {
            new RedisConnectionException("Unable to connect"),
            new RedisException("Currently not connected. Commands are rejected."),
            new RedisException("Connection is closed")
        }) {
            assertThat(RedisFailure.of(notSent)).isEqualTo(RedisFailure.NOT_SENT);
        }
        assertThat(RedisFailure.NOT_SENT.isWithoutEffect()).isTrue();
    }

    @Test
    void whatWasSentAndGotNoAnswerIsUncertain() {
        for (Throwable lost : new Throwable[] {
            new RedisException("Connection disconnected"),
            new RedisException("Connection closed prematurely"),
            new TimeoutException(),
            new CancellationException()
        }) {
            assertThat(RedisFailure.of(lost)).isEqualTo(RedisFailure.NO_ANSWER);
        }
        assertThat(RedisFailure.NO_ANSWER.exception(new TimeoutException()))
                .isInstanceOf(UncertainOutcomeException.class)
                .hasMessageContaining("no answer came in time")
                .hasMessageContaining("TimeoutException");
    }

    @Test
    void scriptThatLacksARightMayHaveDoneAPart() {
        assertThat(RedisFailure.NO_RIGHTS.exception(new RedisCommandExecutionException("NOPERM")))
                .isInstanceOf(UncertainOutcomeException.class);
        assertThat(RedisFailure.of(new RedisNoScriptException("NOSCRIPT No matching script")))
                .isEqualTo(RedisFailure.NO_SCRIPT);
    }
}
