package io.rowlock.sample.stage;

import io.rowlock.sample.stage.NodeView.State;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.core.ParameterizedTypeReference;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.scheduling.concurrent.CustomizableThreadFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.json.JsonMapper;

/**
 * A node as the page's process knows it: a process that is started, paused, stopped and killed from here, and an
 * application that visitors are sent to. Thread-safe.
 */
public final class Node {

    private static final Logger log = LoggerFactory.getLogger(Node.class);
    private static final int VISITORS_AT_A_TIME = 4; // as many as it has threads for requests
    private static final Duration PATIENCE = Duration.ofMinutes(3);

    private final String name;
    private final Launcher launcher;
    private final JsonMapper json;
    private final ApplicationEventPublisher events;
    private final ExecutorService visitors = Executors.newFixedThreadPool(VISITORS_AT_A_TIME, daemons("visitor-"));
    private final ExecutorService companion = Executors.newSingleThreadExecutor(daemons("companion-"));
    private final JdkClientHttpRequestFactory requests = new JdkClientHttpRequestFactory(
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build());

    private @Nullable Process process; // guarded by this, and so are the next and every change of the view
    private @Nullable Standstill standstill;
    private volatile @Nullable RestClient http;

    /** Read without the guard: a listener to changes looks at all nodes, also at those that are changing. */
    private volatile NodeView view;

    Node(String name, Launcher launcher, JsonMapper json, ApplicationEventPublisher events) {
        this.name = name;
        this.launcher = launcher;
        this.json = json;
        this.events = events;
        this.view = new NodeView(name, State.DOWN, 0);
        requests.setReadTimeout(PATIENCE);
    }

    private static CustomizableThreadFactory daemons(String prefix) {
        CustomizableThreadFactory factory = new CustomizableThreadFactory(prefix);
        factory.setDaemon(true);
        return factory;
    }

    /** Returns its name. */
    public String name() {
        return name;
    }

    /** Returns it as it is now. */
    public NodeView view() {
        return view;
    }

    boolean is(State state) {
        return view.state() == state;
    }

    /** Sends a visitor to it, who waits while it has as many as it serves at a time. The answer is never exceptional. */
    public <T> CompletableFuture<Visit<T>> post(String request, ParameterizedTypeReference<Visit<T>> type) {
        return CompletableFuture.supplyAsync(() -> answer(request, type), visitors);
    }

    private <T> Visit<T> answer(String request, ParameterizedTypeReference<Visit<T>> type) {
        RestClient node = http;
        if (node == null) {
            return Visit.unanswered("%s has no process.".formatted(name));
        }
        try {
            return Objects.requireNonNull(node.post().uri(request).retrieve().body(type));
        } catch (RestClientException e) {
            log.warn("{} did not answer: {}", name, e.getMessage());
            return Visit.unanswered("%s did not answer.".formatted(name));
        }
    }

    /** Starts its process; returns before that is ready. */
    public synchronized void start() {
        if (!is(State.DOWN)) {
            throw refused("be started");
        }
        try {
            Process started = launcher.launch(name);
            process = started;
            become(State.STARTING);
            companion.execute(() -> accompany(started));
        } catch (IOException e) {
            throw Refusal.conflict("%s cannot be started: %s.".formatted(name, e.getMessage()));
        }
    }

    /** Makes it stand still: no statement, no renewal, no line of its program, until it is resumed. */
    public synchronized void pause() {
        Process running = require("be paused", State.UP);
        standstill = Standstill.of(running, ProcessHandle.current());
        become(State.PAUSED);
    }

    /** Lets it go on. */
    public synchronized void resume() {
        require("be resumed", State.PAUSED);
        become(State.UP);
        if (standstill != null) {
            standstill.end();
            standstill = null;
        }
    }

    /** Has it release what it holds, and end. */
    public synchronized void stop() {
        Process running = require("be stopped", State.UP);
        become(State.STOPPING);
        closeInput(running);
    }

    /** Ends its process where it is. */
    public synchronized void kill() {
        if (process == null) {
            throw refused("be killed");
        }
        process.destroyForcibly();
    }

    /** Ends it in whatever state it is. */
    void end() {
        Process last;
        synchronized (this) {
            last = process;
        }
        if (last == null) {
            return;
        }
        closeInput(last);
        if (!is(State.PAUSED)) {
            last.onExit().completeOnTimeout(last, 5, TimeUnit.SECONDS).join();
        }
        last.destroyForcibly();
    }

    private void closeInput(Process of) {
        try {
            of.getOutputStream().close();
        } catch (IOException e) {
            log.debug("{} had gone already", name, e);
        }
    }

    private void accompany(Process started) {
        try (BufferedReader lines = started.inputReader()) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                hear(json.readValue(line, Happened.class));
            }
        } catch (IOException | JacksonException e) {
            log.debug("{} was cut short", name, e);
        }
        started.onExit().join();
        ended();
    }

    private void hear(Happened happened) {
        if (happened.topic().equals(Outbox.READY)) {
            ready(happened.data().path("port").asInt());
        } else {
            events.publishEvent(happened);
        }
    }

    private synchronized void ready(int port) {
        http = RestClient.builder()
                .baseUrl("http://127.0.0.1:" + port)
                .requestFactory(requests)
                .build();
        if (is(State.STARTING)) {
            become(State.UP);
        }
    }

    private synchronized void ended() {
        http = null;
        process = null;
        if (standstill != null) {
            standstill.leaveAlone();
            standstill = null;
        }
        become(State.DOWN);
    }

    private void become(State next) {
        view = new NodeView(name, next, process == null ? 0 : process.pid());
        events.publishEvent(new Changed(view, Span.now()));
    }

    private Process require(String what, State needed) {
        if (!is(needed) || process == null) {
            throw refused(what);
        }
        return process;
    }

    /** An event: the node is in another state since some microsecond after 1970. */
    record Changed(NodeView node, long at) {}

    private Refusal refused(String what) {
        return Refusal.conflict(
                "%s is %s and cannot %s.".formatted(name, view.state().name().toLowerCase(Locale.ROOT), what));
    }
}
