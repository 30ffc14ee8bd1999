package io.rowlock.store.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.SslOptions;
import io.lettuce.core.SslVerifyMode;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.DefaultClientResources;
import io.rowlock.HeldLock;
import io.rowlock.LockRequest;
import io.rowlock.client.RowlockClient;
import io.rowlock.test.redis.OnRedis;
import io.rowlock.test.redis.RedisServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.Base64;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Locks on a server that is spoken to over TLS. */
@OnRedis
class TlsTests {
    private static final char[] WORD = "password".toCharArray();

    @TempDir
    private Path directory;

    private void certify() throws Exception {
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keyalg",
                        "EC",
                        "-alias",
                        "redis",
                        "-dname",
                        "CN=127.0.0.1",
                        "-ext",
                        "SAN=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        directory.resolve("all.p12").toString(),
                        "-storepass",
                        new String(WORD))
                .redirectErrorStream(true)
                .start();
        byte[] output = keytool.getInputStream().readAllBytes();
        assertThat(keytool.waitFor()).as(() -> new String(output, UTF_8)).isZero();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(directory.resolve("all.p12"))) {
            store.load(in, WORD);
        }
        pem("cert.pem", "CERTIFICATE", store.getCertificate("redis").getEncoded());
        pem("key.pem", "PRIVATE KEY", store.getKey("redis", WORD).getEncoded());
    }

    private void pem(String file, String kind, byte[] content) throws IOException {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(
                directory.resolve(file), "-----BEGIN %1$s-----%n%2$s%n-----END %1$s-----%n".formatted(kind, text));
    }

    private RedisServer start(int port) {
        try {
            return RedisServer.start(
                    "--tls-port",
                    String.valueOf(port),
                    "--tls-cert-file",
                    directory.resolve("cert.pem").toString(),
                    "--tls-key-file",
                    directory.resolve("key.pem").toString(),
                    "--tls-ca-cert-file",
                    directory.resolve("cert.pem").toString(),
                    "--tls-auth-clients",
                    "no");
        } catch (IOException e) {
            assumeTrue(false, "redis-server is built without TLS: " + e.getMessage());
            throw new IllegalStateException(e);
        }
    }

    @Test
    void locksAreTakenAndHandedOverThroughTls() throws Exception {
        certify();
        int port;
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            port = free.getLocalPort();
        }
        RedisServer server = start(port);
        ClientResources resources = LettuceOptions.resources(DefaultClientResources.create(), RedisSettings.DEFAULT);
        RedisClient redis = RedisClient.create(
                resources,
                RedisURI.builder()
                        .withHost("127.0.0.1")
                        .withPort(port)
                        .withSsl(true)
                        .withVerifyPeer(SslVerifyMode.FULL)
                        .build());
        redis.setOptions(ClientOptions.builder()
                .sslOptions(SslOptions.builder()
                        .trustManager(directory.resolve("cert.pem").toFile())
                        .build())
                .build());
        try (RedisLockStore store = RedisLockStore.standalone(redis, RedisSettings.DEFAULT);
                RedisLockStore others = RedisLockStore.standalone(redis, RedisSettings.DEFAULT);
                RowlockClient node = client(store, "node");
                RowlockClient rival = client(others, "rival")) {
            HeldLock first = node.acquire(LockRequest.exclusive("key"));
            CompletableFuture<HeldLock> waiting = CompletableFuture.supplyAsync(
                    () -> rival.acquire(LockRequest.exclusive("key")), task -> new Thread(task).start());
            TimeUnit.MILLISECONDS.sleep(200);
            assertThat(waiting).isNotDone();
            first.close();
            waiting.get(30, TimeUnit.SECONDS).close();
        } finally {
            redis.shutdown();
            var unused = resources.shutdown();
            server.stop();
        }
    }

    private static RowlockClient client(RedisLockStore store, String owner) {
        return RowlockClient.builder(store)
                .strategy(RedisLockStore.NAME)
                .owner(owner)
                .build();
    }
}
