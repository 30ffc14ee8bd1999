package io.rowlock.client;

import static org.awaitility.Awaitility.await;

import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderElections;
import io.rowlock.leader.LeaderRole;
import io.rowlock.leader.LeadershipEvent;
import io.rowlock.leader.LeadershipEvent.Transition;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** A node that stands for election, and the events it got. */
final class Candidate implements AutoCloseable {
    final Node node;
    final List<LeadershipEvent> events = new CopyOnWriteArrayList<>();
    final List<Consumer<LeadershipEvent>> listeners = new CopyOnWriteArrayList<>(List.of(events::add));
    final LeaderElections elections;
    final LeaderElection election;

    Candidate(Node node, LeaderRole role) {
        this(node, node.client, role);
    }

    /** @param client of the node, other than its usual one */
    Candidate(Node node, RowlockClient client, LeaderRole role) {
        this.node = node;
        elections = new LeaderElections(client, event -> listeners.forEach(each -> each.accept(event)), null);
        election = elections.join(role);
        elections.start();
    }

    List<Transition> transitions() {
        return events.stream().map(LeadershipEvent::transition).toList();
    }

    Candidate awaitLeading() {
        await().until(election::isLeader);
        return this;
    }

    void awaitTold(Transition... transitions) {
        await().untilAsserted(() ->
                org.assertj.core.api.Assertions.assertThat(transitions()).containsExactly(transitions));
    }

    @Override
    public void close() {
        elections.close();
    }
}
