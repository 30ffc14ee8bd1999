package io.rowlock.store.redis;

import io.rowlock.client.LockBackend;
import io.rowlock.servers.ThreeMasters;
import io.rowlock.test.FullBuild;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContext;
import org.junit.jupiter.api.extension.ClassTemplateInvocationContextProvider;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.opentest4j.TestAbortedException;

/** What {@link OnEachRedis} does to a test class. */
final class EachRedisExtension implements ClassTemplateInvocationContextProvider, ExecutionCondition {
    /** How Redis is run. The servers are started once a JVM, end with it, and are for these classes alone. */
    private enum Kind {
        STANDALONE {
            @Override
            List<RedisServer> start() throws IOException {
                return List.of(RedisServer.start());
            }
        },
        CLUSTER {
            @Override
            List<RedisServer> start() throws Exception {
                return ThreeMasters.start().nodes();
            }
        };

        abstract List<RedisServer> start() throws Exception;
    }

    private static final Map<Kind, List<RedisServer>> SERVERS = new EnumMap<>(Kind.class);

    private static RedisBackend backend(Kind kind) {
        synchronized (SERVERS) {
            try {
                if (!SERVERS.containsKey(kind)) {
                    SERVERS.put(kind, kind.start());
                }
                return new RedisBackend(SERVERS.get(kind));
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new TestAbortedException("redis-server did not start: " + e.getMessage(), e);
            }
        }
    }

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext context) {
        return RedisServer.find().isPresent()
                ? ConditionEvaluationResult.enabled("there is a server")
                : ConditionEvaluationResult.disabled("no redis-server");
    }

    @Override
    public boolean supportsClassTemplate(ExtensionContext context) {
        return true;
    }

    @Override
    public Stream<Run> provideClassTemplateInvocationContexts(ExtensionContext context) {
        return Stream.of(new Run(FullBuild.isRunning() ? Kind.CLUSTER : Kind.STANDALONE));
    }

    /**
     * A run of a class.
     *
     * @param kind what it is on
     */
    private record Run(Kind kind) implements ClassTemplateInvocationContext, ParameterResolver {
        @Override
        public String getDisplayName(int invocationIndex) {
            return kind.toString();
        }

        @Override
        public List<Extension> getAdditionalExtensions() {
            return List.of(this);
        }

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return parameter.getParameter().getType() == LockBackend.class;
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            return backend(kind);
        }
    }
}
