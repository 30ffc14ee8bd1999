/**
 * Holds what this process does with locks: the threads that wait for them and hold them, and the leases they share.
 *
 * <p>{@link io.rowlock.client.lock.KeyQueue} is all that the process does with one key: its waiters in order, and the turn to ask
 * the store. {@link io.rowlock.client.lock.ThreadLock} is one thread's lock on it, from its wait to its end.
 * {@link io.rowlock.client.lock.HeldLease} is one lease and the threads that hold it. The queue guards the fields of all three. What they
 * decide under it is done without it: {@link io.rowlock.client.lock.LeaseEnding} ends a lease in the store and notifies its holders.
 *
 * <p>{@link io.rowlock.client.lock.LockAcquirer} acquires what a request asks for, and {@link io.rowlock.client.lock.LockHandle} is what the
 * program closes. {@link io.rowlock.client.lock.CommitChecks} is all that one transaction does with the locks of its thread.
 *
 * <h2>Phases of a lease</h2>
 *
 * <pre>
 * from        event                                        to          the store is asked to
 * HELD        last holder leaves, or the client closes     RELEASING   release it
 * HELD        its term is over, or an answer came too late OVERDUE     -
 * HELD        the store or an operator says it is gone     LOST        -
 * HELD        only shared grants are left                  CHANGING    downgrade it
 * CHANGING    answer: it is shared now                     RELEASED    -  (another HeldLease takes its place)
 * CHANGING    answer: it stays, or was not reached         HELD        -
 * CHANGING    answer: gone                                 LOST        -
 * CHANGING    no answer, though asked again                LOST        abandon what may have become of it
 * CHANGING    its term is over                             OVERDUE     -
 * RELEASING   answer: released                             RELEASED    -
 * RELEASING   answer: it was gone                          LOST        -
 * RELEASING   no answer                                    RELEASING   release it again, until it is answered or over
 * RELEASING   answer to that: gone before its term is over RELEASED    -
 * OVERDUE     the holder leaves, and its minimum is over   LOST        release the rest
 * OVERDUE     the store says it is gone                    LOST        -
 * </pre>
 *
 * All else leaves the phase as it is. A renewal makes a longer term while the lease is HELD or CHANGING; one that finds nothing while it is
 * CHANGING or RELEASING is ignored, because the call under way finds out by itself. RELEASED and LOST are final. A lease is
 * held while it is HELD or CHANGING and its term lasts. It is renewed while it is HELD, a holder claims it, and no row lock of a
 * transaction protects it.
 *
 * <h2>States of a thread's lock</h2>
 *
 * <pre>
 * from         event                                              to
 * WAITING      the queue gives it the turn to ask the store        ASKING
 * WAITING      the queue lets it join readers, or follow a holder  JOINED
 * WAITING      the client closes                                   REJECTED
 * WAITING      time-out, interrupt, error                          (forgotten)
 * JOINED       its lease was lost before it woke up                WAITING
 * ASKING       the store does not grant a lease                    (forgotten)
 * ASKING       the store grants a lease                            HELD
 * JOINED       it woke up                                          HELD
 * HELD         the last exclusive grant is closed, shared are left DOWNGRADING
 * DOWNGRADING  the lease is shared, or stays as it was             HELD
 * HELD         the last grant and transaction are over             ENDED
 * HELD         no thread can close it, and its lease expired       ENDED
 * ENDED        other threads go on with its lease                  HANDED_ON
 * </pre>
 *
 * JOINED and HANDED_ON are written by the queue, in the step that moves the lease: a leaver holds it no more before the next one
 * does.
 *
 * <h2>Lock order</h2>
 *
 * <ol>
 *   <li>An entry of the map of {@link io.rowlock.client.lock.KeyQueues}: counts the users of a queue, and calls nothing.
 *   <li>The monitor of a {@link io.rowlock.client.lock.KeyQueue}: everything of a key. Under it no store, no listener, no meter, no log and no
 *       other key's queue is called; it reads the ticker and the capabilities of the store.
 *   <li>Leaves: map entries of {@link io.rowlock.client.lock.ThreadLocks} and of the interrupts of bodies, the map of
 *       {@link io.rowlock.client.lock.PendingReleases}, the alarms of {@link io.rowlock.client.lock.WakeableThread}.
 * </ol>
 *
 * None of these is taken while another one is held. A method that finds something to report returns it (a list of holders, or null), and
 * its caller reports it without the monitor.
 */
@NullMarked
package io.rowlock.client.lock;

import org.jspecify.annotations.NullMarked;
