package io.rowlock.client;

import static io.rowlock.leader.LeadershipEvent.Transition.LEAVE;
import static io.rowlock.leader.LeadershipEvent.Transition.PROMOTED;
import static io.rowlock.leader.LeadershipEvent.Transition.STAY;
import static io.rowlock.leader.LeadershipEvent.Transition.UNKNOWN;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.rowlock.HeldLock;
import io.rowlock.LockLostException;
import io.rowlock.LockRequest;
import io.rowlock.client.lock.DetachableLock.CommitGuard;
import io.rowlock.leader.LeaderElection;
import io.rowlock.leader.LeaderRole;
import io.rowlock.leader.LeadershipEvent;
import io.rowlock.servers.Cable;
import io.rowlock.store.Attempt;
import io.rowlock.test.OnEachServer;
import io.rowlock.test.Stopwatch;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;

/** Who leads, and from when to when. */
@Order(8)
@OnEachServer
class LeaderTests extends ClientContract {
    private static final String KEY = "leader:scheduler";
    private static final Duration INTERVAL = ofMillis(200);

    /** Longer than the machine keeps a process from running. */
    private static final Duration TTL = ofSeconds(60);

    /** Of a leader that is to lose its role. */
    private static final Duration SHORT = ofSeconds(4);

    private static final LeaderRole ROLE = role(TTL);

    private static LeaderRole role(Duration ttl) {
        return new LeaderRole("scheduler", ttl, INTERVAL, true);
    }

    private Candidate candidate(Node on) {
        return candidate(on, ROLE);
    }

    private Candidate candidate(Node on, LeaderRole role) {
        return closing(new Candidate(on, role));
    }

    /** Its lease is renewed each interval, not when a third of the ttl is over. */
    private Candidate oftenRenewed() {
        return closing(new Candidate(
                node,
                closing(RowlockClient.builder(node.store)
                        .owner("node")
                        .renewalInterval(INTERVAL)
                        .build()),
                ROLE));
    }

    @Test
    void oneOfTwoLeadsAndEveryNodeKnowsWho() {
        Candidate leader = candidate(node).awaitLeading();
        Candidate other = candidate(rival);
        int asked = rival.store.calls.get();
        await().until(() -> rival.store.calls.get() > asked + 2);
        assertThat(other.election.isLeader()).isFalse();
        assertThat(other.election.term()).isZero();
        assertThat(other.election.leader()).contains("node");
        assertThat(leader.election.leader()).contains("node");
        assertThat(leader.election.term()).isPositive();
        leader.awaitTold(PROMOTED);
        assertThat(other.events).isEmpty();
    }

    @Test
    void leadershipIsRenewed() {
        Candidate leader = oftenRenewed().awaitLeading();
        int renewals = node.store.renewals.get();
        await().until(() -> node.store.renewals.get() > renewals + 1);
        assertThat(leader.election.isLeader()).isTrue();
        assertThat(leader.transitions()).containsExactly(PROMOTED);
    }

    @Test
    void closingHandsOverWithoutWaitingForTheTtl() {
        Candidate leader = candidate(node).awaitLeading();
        Candidate next = candidate(rival);
        leader.close();
        assertThat(leader.election.isLeader()).isFalse();
        next.awaitLeading();
        assertThat(next.election.term()).isGreaterThan(leader.election.term());
        leader.awaitTold(PROMOTED, LEAVE);
        int calls = node.store.calls.get();
        assertThat(node.use().queues()).isZero();
        await().pollDelay(INTERVAL.multipliedBy(2)).until(() -> node.store.calls.get() == calls);
    }

    @Test
    void closingLeavesEveryRoleBeforeItGivesAnyBack() {
        Candidate leader = candidate(node).awaitLeading();
        LeaderElection second = leader.elections.of("second");
        await().until(second::isLeader);
        List<Boolean> stillLed = new CopyOnWriteArrayList<>();
        node.store.releasing = (lease, real) -> {
            stillLed.add(leader.election.isLeader() || second.isLeader());
            return real.call(lease);
        };
        leader.close();
        assertThat(stillLed).containsExactly(false, false);
    }

    @Test
    void listenersHaveHeardOfTheEndWhenItIsClosed() {
        Candidate leader = candidate(node).awaitLeading();
        leader.awaitTold(PROMOTED);
        List<LeadershipEvent> heard = new CopyOnWriteArrayList<>();
        leader.listeners.add(event -> {
            LockSupport.parkNanos(ofMillis(50).toNanos());
            heard.add(event);
        });
        leader.close();
        assertThat(heard).extracting(LeadershipEvent::transition).containsExactly(LEAVE);
    }

    @Test
    void listenersOfAllRolesHearOfThoseJoinedBeforeAndAfter() {
        Candidate leader = candidate(node);
        List<String> heard = new CopyOnWriteArrayList<>();
        leader.listeners.add(event -> heard.add(event.role() + " " + event.transition()));
        leader.elections.of("second");
        await().until(() -> heard.contains("second PROMOTED"));
        leader.awaitLeading();
        leader.close();
        assertThat(heard).contains("scheduler LEAVE", "second LEAVE");
    }

    @Test
    void closingLeavesNothingOfARoundThatIsUnderWay() throws Exception {
        CountDownLatch won = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        node.store.acquiring = (request, real) -> {
            Attempt attempt = real.call(request);
            won.countDown();
            await().until(() -> answer.getCount() == 0);
            return attempt;
        };
        Candidate leader = candidate(node);
        won.await();
        Other<Boolean> closing = Other.does(() -> {
            leader.close();
            return true;
        });
        closing.awaitWaiting();
        answer.countDown();
        assertThat(closing.get()).isTrue();
        assertThat(table.isFree(KEY)).isTrue();
        assertThat(leader.events).isEmpty();
    }

    @Test
    void stoppedElectionsBeginAnew() {
        Candidate leader = candidate(node).awaitLeading();
        long term = leader.election.term();
        leader.elections.stop();
        assertThat(leader.election.isLeader()).isFalse();
        leader.elections.start();
        leader.awaitLeading();
        assertThat(leader.election.term()).isGreaterThan(term);
        leader.awaitTold(PROMOTED, LEAVE, PROMOTED);
    }

    /** The leader's last word to the database was a renewal; from then on it is cut off. */
    @Test
    void cutOffLeaderLeavesBeforeTheNextIsPromotedWhichIsSoon() {
        leavesBeforeTheNextIsPromoted(candidate(node, role(SHORT)).awaitLeading(), node.pool::close);
    }

    /** Nothing arrives any more, and neither end is notified. */
    @Test
    void leaderBehindASilentNetworkLeavesBeforeTheNextIsPromotedWhichIsSoon() throws Exception {
        Cable cable = closing(new Cable(schema.jdbcUrl()));
        Node far = closing(new Node(Pools.starter(schema, cable.url()), "far", Node.Logging.OFF));
        leavesBeforeTheNextIsPromoted(candidate(far, role(SHORT)).awaitLeading(), cable::cut);
        cable.close();
    }

    private void leavesBeforeTheNextIsPromoted(Candidate leader, Runnable cutOff) {
        Candidate next = candidate(rival, role(SHORT));
        List<Boolean> oldLed = new CopyOnWriteArrayList<>();
        next.listeners.add(event -> oldLed.add(leader.election.isLeader()));
        Stopwatch time = Stopwatch.start();
        cutOff.run();
        assertThat(leader.election.isLeader()).as("its lease still lasts").isTrue();
        await().pollInterval(ofMillis(10)).until(() -> {
            boolean nextLeads = next.election.isLeader();
            assertThat(nextLeads && leader.election.isLeader()).isFalse();
            return nextLeads;
        });
        assertThat(time.taken()).isLessThan(SHORT.plus(INTERVAL).plusSeconds(1));
        await().until(() -> !oldLed.isEmpty());
        assertThat(oldLed).containsOnly(false);
        assertThat(next.election.term()).isGreaterThan(leader.election.term());
        await().until(() -> leader.transitions().equals(List.of(PROMOTED, LEAVE, UNKNOWN)));
    }

    /** The rounds of all roles share a thread. */
    @Test
    void lossIsToldWhileTheRoundOfAnotherRoleHasNoAnswer() throws Exception {
        Candidate leader = oftenRenewed().awaitLeading();
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        node.store.acquiring = (request, real) -> {
            asked.countDown();
            await().atMost(ofSeconds(60)).until(() -> answer.getCount() == 0);
            return real.call(request);
        };
        leader.elections.of("second");
        asked.await();
        table.forceRelease(KEY);
        leader.awaitTold(PROMOTED, LEAVE);
        assertThat(answer.getCount()).isOne();
        answer.countDown();
    }

    /** Its ttl is longer than the test takes, and its next round gives nothing back before the table has been looked at. */
    @Test
    void pausedLeaderKnowsAtOnceThatItLeadsNoMore() {
        Duration ttl = ofMinutes(5);
        Candidate leader = candidate(node, role(ttl)).awaitLeading();
        CountDownLatch looked = new CountDownLatch(1);
        node.store.releasing = (lease, real) -> {
            await().atMost(ofSeconds(60)).until(() -> looked.getCount() == 0);
            return real.call(lease);
        };
        node.store.renewing = (leases, real) -> {
            throw new io.rowlock.LockStoreException("off", null);
        };
        try {
            node.pause(ttl);
            assertThat(leader.election.isLeader()).isFalse();
            assertThat(leader.election.rely()).isEmpty();
            assertThat(table.isFree(KEY))
                    .as("no other node could have been promoted")
                    .isFalse();
        } finally {
            looked.countDown();
        }
        await().until(() -> leader.transitions().contains(LEAVE));
    }

    @Test
    void outageIsToldOnceAndEndsByItself() {
        LeaderRole role = new LeaderRole(schema.name(), SHORT, INTERVAL, true);
        Candidate leader = candidate(node, role).awaitLeading();
        Candidate other = candidate(rival, role);
        long term = leader.election.term();
        try (Warnings warnings = new Warnings(schema.name())) {
            table.hide();
            try {
                await().until(() -> other.transitions().equals(List.of(UNKNOWN)));
                await().until(() -> leader.transitions().equals(List.of(PROMOTED, LEAVE, UNKNOWN)));
                long warned = warnings.count();
                int calls = rival.store.calls.get();
                await().until(() -> rival.store.calls.get() > calls + 3);
                assertThat(warnings.count()).as("however long it lasts").isEqualTo(warned);
                assertThat(leader.election.isLeader() || other.election.isLeader())
                        .isFalse();
                assertThatThrownBy(other.election::leader).isInstanceOf(io.rowlock.LockStoreException.class);
            } finally {
                table.unhide();
            }
            await().until(() -> leader.election.isLeader() || other.election.isLeader());
            boolean same = leader.election.isLeader();
            (same ? other : leader)
                    .awaitTold(
                            same
                                    ? new LeadershipEvent.Transition[] {UNKNOWN, STAY}
                                    : new LeadershipEvent.Transition[] {PROMOTED, LEAVE, UNKNOWN, STAY});
            assertThat((same ? leader : other).election.term()).isGreaterThan(term);
            assertThat(warnings.count())
                    .as("renewal, risk, loss and UNKNOWN at the leader, UNKNOWN at the other, take-over: %s", warnings)
                    .isBetween(2L, 6L);
        }
    }

    @Test
    void nodeThatYieldsGivesOthersARound() {
        Candidate leader = candidate(node).awaitLeading();
        Candidate next = candidate(rival);
        for (int turn = 0; turn < 4; turn++) {
            Candidate yielding = turn % 2 == 0 ? leader : next;
            Candidate taking = turn % 2 == 0 ? next : leader;
            long term = yielding.election.term();
            yielding.election.yieldLeadership();
            assertThat(yielding.election.isLeader()).isFalse();
            taking.awaitLeading();
            assertThat(taking.election.term()).isGreaterThan(term);
            await().pollDelay(INTERVAL.multipliedBy(2)).until(taking.election::isLeader); // the other has rested
        }
    }

    @Test
    void nodeThatYieldsWithoutLeadingSeeksOn() {
        candidate(rival).awaitLeading();
        Candidate standing = candidate(node);
        int calls = node.store.calls.get();
        await().pollInterval(ofMillis(10)).until(() -> {
            standing.election.yieldLeadership();
            return node.store.calls.get() > calls + 2;
        });
    }

    @Test
    void nodeThatYieldsInALongTransactionRestsFromItsEnd() {
        Candidate leader = candidate(node).awaitLeading();
        Application application = newApplication(2);
        application.inTransaction(() -> {
            application.deposit();
            leader.election.yieldLeadership();
            await().pollDelay(INTERVAL.multipliedBy(3)).until(() -> !leader.election.isLeader());
        });
        int calls = node.store.calls.get();
        await().pollDelay(INTERVAL).until(() -> true);
        assertThat(node.store.calls).hasValue(calls);
        leader.awaitLeading();
    }

    @Test
    void nodeThatYieldsWithoutASuccessorLeadsAgain() {
        Candidate leader = candidate(node).awaitLeading();
        leader.election.yieldLeadership();
        assertThat(table.isFree(KEY)).isTrue();
        leader.awaitLeading();
        leader.awaitTold(PROMOTED, LEAVE, PROMOTED);
    }

    /** The leader finds out by a renewal; before the next one leads, it would seek the role again. */
    @Test
    void leadershipReleasedByForceMovesOn() {
        CountDownLatch moved = new CountDownLatch(1);
        node.store.renewing = (leases, real) -> {
            await().atMost(ofSeconds(60)).until(() -> moved.getCount() == 0);
            return real.call(leases);
        };
        Candidate leader = oftenRenewed().awaitLeading();
        Candidate next = candidate(rival);
        table.forceRelease(KEY);
        next.awaitLeading();
        moved.countDown();
        await().until(() -> leader.transitions().contains(LEAVE));
        assertThat(leader.election.isLeader()).isFalse();
    }

    @Test
    void disabledRoleIsNotStoodFor() {
        Candidate voter = closing(new Candidate(rival, new LeaderRole("scheduler", TTL, INTERVAL, false)));
        candidate(node).awaitLeading();
        assertThat(voter.election.leader()).contains("node");
        voter.elections.stop();
        assertThat(rival.store.calls.get()).as("it only asked who leads").isEqualTo(1);
    }

    @Test
    void rolesAreJoinedOnce() {
        Candidate leader = candidate(node);
        assertThat(leader.elections.join(ROLE)).isSameAs(leader.election);
        assertThat(leader.elections.of("scheduler")).isSameAs(leader.election);
        assertThatThrownBy(() -> leader.elections.join(new LeaderRole("scheduler", ofSeconds(9), INTERVAL, true)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("ttl=9s");
        LeaderElection second = leader.elections.of("second");
        await().until(second::isLeader);
        assertThatThrownBy(() -> leader.elections.of("x".repeat(250))).isInstanceOf(IllegalArgumentException.class);
    }

    // ---- relying on it

    @Test
    void commitPassesWhileTheNodeLeads() {
        Candidate leader = candidate(node).awaitLeading();
        Application application = newApplication(2);
        try (CommitGuard leadership = leader.election.rely().orElseThrow()) {
            application.inTransaction(application::deposit);
            assertThat(leadership).isNotNull();
        }
        assertThat(table.balance()).isEqualTo(1);
        assertThat(node.use().threads()).isZero();
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasTakenOver() {
        refused(leader -> {
            table.age(KEY);
            assertThat(rival.tryTake(KEY)).isPresent();
        });
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasYielded() {
        refused(leader -> leader.election.yieldLeadership());
    }

    @Test
    void commitIsRefusedIfTheLeadershipWasYieldedToAThreadOfTheSameProcess() {
        refused(leader -> {
            Other<HeldLock> next = Other.does(() -> node.client
                    .tryAcquireReserved(LockRequest.exclusive(KEY)
                            .withTtl(TTL)
                            .withRenewal(true)
                            .withWaitTime(ofSeconds(30)))
                    .orElseThrow());
            next.awaitWaiting();
            leader.election.yieldLeadership();
            await().until(next::isDone);
        });
        assertThat(table.isFree(KEY)).isFalse();
    }

    @Test
    void transactionThatYieldsByItselfCommitsBeforeAnybodyElseCanLead() {
        Candidate leader = candidate(node).awaitLeading();
        long term = leader.election.term();
        Application application = newApplication(2);
        try (CommitGuard leadership = leader.election.rely().orElseThrow()) {
            assertThat(leadership).isNotNull();
            application.inTransaction(() -> {
                application.deposit();
                leader.election.yieldLeadership();
                assertThat(leader.election.isLeader()).isFalse();
                assertThat(table.isFree(KEY)).isFalse();
            });
        }
        assertThat(table.balance()).isEqualTo(1);
        await().until(() -> table.isFree(KEY) || leader.election.term() > term);
    }

    /** In another database, whose transactions cannot see the lock's row. */
    @Test
    void commitElsewhereIsRefusedByTheNodesClock() {
        Candidate leader = candidate(node).awaitLeading();
        Application elsewhere = closing(Application.withoutFence(schema, node.client));
        try (CommitGuard leadership = leader.election.rely().orElseThrow()) {
            assertThat(leadership).isNotNull();
            assertThatThrownBy(() -> elsewhere.inTransaction(() -> {
                        elsewhere.deposit();
                        node.pause(TTL);
                    }))
                    .isInstanceOf(LockLostException.class);
        }
        assertThat(table.balance()).isZero();
    }

    private void refused(java.util.function.Consumer<Candidate> meanwhile) {
        Candidate leader = candidate(node).awaitLeading();
        Application application = newApplication(2);
        CommitGuard leadership = leader.election.rely().orElseThrow();
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    application.deposit();
                    Other<Boolean> other = Other.does(() -> {
                        meanwhile.accept(leader);
                        return true;
                    });
                    await().until(other::isDone);
                }))
                .isInstanceOf(LockLostException.class);
        leadership.close();
        assertThat(table.balance()).isZero();
        application.inTransaction(application::deposit);
        assertThat(table.balance()).as("it relies on nothing any more").isEqualTo(1);
    }

    @Test
    void relianceWithinATransactionGuardsItsCommit() {
        Candidate leader = candidate(node).awaitLeading();
        Application application = newApplication(2);
        assertThatThrownBy(() -> application.inTransaction(() -> {
                    leader.election.rely().orElseThrow().close();
                    application.deposit();
                    table.age(KEY);
                }))
                .isInstanceOf(LockLostException.class);
        assertThat(table.balance()).isZero();
        assertThat(node.use().threads()).isZero();
    }

    @Test
    void relianceLetsNoThreadEnterTheLock() {
        Candidate leader = candidate(node).awaitLeading();
        try (CommitGuard leadership = leader.election.rely().orElseThrow()) {
            assertThat(leadership).isNotNull();
            assertThat(node.canTake(KEY)).isFalse();
        }
    }
}
