package io.rowlock.sample.node;

import java.io.IOException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.json.JsonMapper;

/** A node as the page's process knows it: started, asked, paused, stopped and killed from here. Thread-safe. */
public final class Node {
    private final String name;
    private final Launcher launcher;
    private final JsonMapper json;
    private final boolean signals;
    private final BiConsumer<Node, Report> happened;
    private final Consumer<Node> changed;

    private @Nullable Conversation conversation; // guarded by this, and so are the next and every change of the view
    private @Nullable Standstill standstill;

    /** Read without the guard: a listener to changes looks at all nodes, also at those that are changing. */
    private volatile NodeView view;

    /** @param signals whether a process can be made to stand still by a signal; otherwise its statements are */
    public Node(
            String name,
            Launcher launcher,
            JsonMapper json,
            boolean signals,
            BiConsumer<Node, Report> happened,
            Consumer<Node> changed) {
        this.name = name;
        this.launcher = launcher;
        this.json = json;
        this.signals = signals;
        this.happened = happened;
        this.changed = changed;
        this.view = new NodeView(name, NodeState.DOWN, 0);
    }

    /** Its name. */
    public String name() {
        return name;
    }

    /** How it is now. */
    public NodeView view() {
        return view;
    }

    /** Whether it does what it is asked to. */
    public boolean isUp() {
        return view().state() == NodeState.UP;
    }

    boolean isStarting() {
        return view().state() == NodeState.STARTING;
    }

    /**
     * Asks it to do something.
     *
     * @return the answer; ends with a {@link NodeException} if the node could not do it, or is gone before it answers
     */
    public <T> CompletableFuture<T> ask(String task, Object input, Class<T> type) {
        return require("be asked to " + task, NodeState.UP).ask(task, input, type);
    }

    /** Starts its process; returns before that is ready. */
    public synchronized void start() {
        if (view.state() != NodeState.DOWN) {
            throw refused("be started");
        }
        try {
            Conversation started = new Conversation(name, launcher.launch(name), json);
            conversation = started;
            become(NodeState.STARTING);
            Thread thread = new Thread(() -> accompany(started), name);
            thread.setDaemon(true);
            thread.start();
        } catch (IOException e) {
            throw new NodeException("%s cannot be started: %s.".formatted(name, e.getMessage()));
        }
    }

    /** Makes it stand still: no statement, no renewal, no line of its program, until it is resumed. */
    public synchronized void pause() {
        Conversation with = require("be paused", NodeState.UP);
        if (signals) {
            standstill = Standstill.of(with.process(), ProcessHandle.current());
        } else {
            with.ask("freeze", Map.of("frozen", true), Boolean.class).join();
        }
        become(NodeState.PAUSED);
    }

    /** Lets it go on. */
    public synchronized void resume() {
        Conversation with = require("be resumed", NodeState.PAUSED);
        become(NodeState.UP);
        if (standstill != null) {
            standstill.end();
            standstill = null;
        } else {
            with.ask("freeze", Map.of("frozen", false), Boolean.class).join();
        }
    }

    /** Has it give back what it has, and end. */
    public synchronized void stop() {
        Conversation with = require("be stopped", NodeState.UP);
        become(NodeState.STOPPING);
        with.sayGoodbye();
    }

    /** Ends its process where it is. */
    public synchronized void kill() {
        if (view.state() == NodeState.DOWN || conversation == null) {
            throw refused("be killed");
        }
        conversation.process().destroyForcibly();
    }

    /** Ends it in whatever state it is. */
    void end() {
        Conversation with;
        synchronized (this) {
            with = conversation;
        }
        if (with == null) {
            return;
        }
        with.sayGoodbye();
        try {
            boolean ended = view().state() != NodeState.PAUSED && with.process().waitFor(5, TimeUnit.SECONDS);
            if (!ended) {
                with.process().destroyForcibly();
            }
        } catch (InterruptedException e) {
            with.process().destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private void accompany(Conversation with) {
        with.listen(this::hear);
        with.process().onExit().join();
        synchronized (this) {
            conversation = null;
            if (standstill != null) {
                standstill.leaveAlone();
                standstill = null;
            }
            become(NodeState.DOWN);
        }
    }

    private void hear(Report report) {
        if (Report.READY.equals(report.topic())) {
            synchronized (this) {
                if (view.state() == NodeState.STARTING) {
                    become(NodeState.UP);
                }
            }
        } else {
            happened.accept(this, report);
        }
    }

    private void become(NodeState next) {
        view = new NodeView(
                name, next, conversation == null ? 0 : conversation.process().pid());
        changed.accept(this);
    }

    private synchronized Conversation require(String what, NodeState needed) {
        if (view.state() != needed || conversation == null) {
            throw refused(what);
        }
        return conversation;
    }

    private NodeException refused(String what) {
        return new NodeException(
                "%s is %s and cannot %s.".formatted(name, view.state().name().toLowerCase(Locale.ROOT), what));
    }
}
