package io.rowlock.autoconfigure.application;

import com.jayway.jsonpath.JsonPath;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpHeaders;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.web.util.UriComponentsBuilder;

/** Asks an application, usually its actuator. */
public final class Http {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private final String base;

    public Http(ConfigurableApplicationContext context) {
        base = "http://127.0.0.1:" + context.getEnvironment().getProperty("local.server.port") + "/";
    }

    /** An answer: its status, its JSON and its headers. */
    public record Answer(int status, String body, HttpHeaders headers) {
        @SuppressWarnings("TypeParameterUnusedInFormals")
        public <T> T at(String path) {
            return JsonPath.read(body, path);
        }
    }

    /** @param path may have a query, is not encoded yet, except that % begins an encoded character */
    public Answer get(String path) {
        return send("GET", "actuator/" + path);
    }

    public Answer delete(String path) {
        return send("DELETE", "actuator/" + path);
    }

    public Answer getFromApplication(String path) {
        return send("GET", path);
    }

    /** A key as a part of a path: all is encoded but its slashes. */
    public static String path(String key) {
        return UriComponentsBuilder.newInstance()
                .pathSegment(key.split("/"))
                .encode()
                .build()
                .toString()
                .substring(1)
                .replace(";", "%3B");
    }

    private Answer send(String method, String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(base + path))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .build();
            HttpResponse<String> response = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            return new Answer(response.statusCode(), response.body(), response.headers());
        } catch (Exception ex) {
            throw new AssertionError(method + " " + path, ex);
        }
    }
}
