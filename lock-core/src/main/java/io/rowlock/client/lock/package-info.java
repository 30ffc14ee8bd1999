/**
 * Holds what this process does with locks: the threads that wait for them and hold them, and the leases they share.
 *
 * <p>{@link io.rowlock.client.lock.KeyQueue} is all that the process does with one key: its waiters in order, and the one that asks
 * the store. {@link io.rowlock.client.lock.ThreadLock} is one thread's lock on it, from its wait to its end.
 * {@link io.rowlock.client.lock.HeldLease} is one lease and the threads that hold it. The queue guards the fields of all three. What they
 * decide under it is done without it: {@link io.rowlock.client.lock.LeaseEnding} ends a lease in the store and notifies its holders.
 *
 * <p>{@link io.rowlock.client.lock.ProcessLocks} has all of them. {@link io.rowlock.client.lock.LockAcquirer} acquires what a request
 * asks for, and {@link io.rowlock.client.lock.LockHandle} is what the program closes. {@link io.rowlock.client.lock.OpenTransactions} are those of the thread,
 * {@link io.rowlock.client.lock.OpenTransaction} is all that one of them does with its locks, and {@link io.rowlock.client.lock.Standing} where it stands
 * among the others.
 *
 * <h2>How it works</h2>
 *
 * A <em>lease</em> is what the store grants to this process: one key, exclusive or shared, until a point in time that the
 * database's clock decides. A <em>lock</em> is what a thread has: a {@link io.rowlock.client.lock.ThreadLock} with any number of handles. Several
 * threads may use one lease, together or one after another.
 *
 * <h3>Acquired</h3>
 *
 * {@link io.rowlock.client.lock.LockAcquirer} looks for the cheapest way to a key. A thread that holds it gets one more handle. Otherwise it enters
 * the {@link io.rowlock.client.lock.KeyQueue} of the key, first come, first served, which either lets it share a lease the
 * process has or lets it ask the store, one thread at a time. That thread
 * ({@link io.rowlock.client.lock.StoreAcquisition}) tries at once, unless other processes were seen waiting; if the key is
 * busy, it joins the queue of all processes and tries again when that queue has come to it, and now and then before.
 * An exclusive lease that closes
 * a key to readers is granted once the readers inside have left. An attempt without an answer may have acquired the lease:
 * {@link io.rowlock.client.lock.PendingReleases} ends such leases in the background.
 *
 * <h3>Kept</h3>
 *
 * {@link io.rowlock.client.lock.LeaseRenewer} renews each lease when a third of its ttl has passed, or earlier if so configured. The process counts a lease
 * from when the statement was <em>sent</em> that acquired or renewed it, so it stops to trust the lease no later than the database
 * does, whatever the two clocks show. Its phases are those of
 * {@link io.rowlock.client.lock.HeldLease}.
 *
 * A held lease is <em>at risk</em> from halfway between its due renewal and its end. A loss is final: listeners are notified,
 * threads that asked for it are interrupted, and commits are refused. While the row lock of a transaction protects a lease, its end is not
 * looked for: no other owner gets the key, and what that transaction has checked is stored.
 *
 * <h3>Handed on</h3>
 *
 * When a holder leaves, the next thread of the local queue may follow without a statement, as far as
 * {@link io.rowlock.client.lock.HeldLease} admits it: the lease must be renewed in time, and the limits of
 * {@link io.rowlock.client.request.Handoff} keep the process from starving others. Each writer that follows gets the next token
 * of the lease. Readers share a lease; an exclusive lock of which only shared handles are left becomes a shared one without a
 * gap.
 *
 * <h3>Fenced</h3>
 *
 * {@link io.rowlock.client.TransactionFence} checks right before a commit, on the transaction's own connection, that the leases of its thread are
 * still in the database. The row locks of that check keep other owners out until the transaction has completed; meanwhile the
 * leases are not renewed, because a renewal would wait for those row locks. Where the locks are kept outside of the database,
 * a table in it shows the greatest token that a transaction has relied on, and is asked when a transaction begins. A lock that is
 * closed inside a transaction is kept until the transaction has completed ({@link io.rowlock.client.lock.OpenTransaction}).
 *
 * <h3>Released</h3>
 *
 * The last holder's release ends the lease in the store, or has it last for the rest of its minimum. Whatever the answer, the
 * lease is not held any more. A release without an answer is tried again in the background until the lease has expired. A
 * lease that was lost by this process's clock only is released in the background, so that waiters need not wait for the rest of it.
 *
 * <h2>Phases of a lease</h2>
 *
 * <pre>
 * from        event                                        to          the store is asked to
 * HELD        last holder leaves, or the client closes     RELEASING   release it
 * HELD        its term is found over, or an answer is late OVERDUE     -
 * HELD        the store or an operator says it is gone     LOST        -
 * HELD        only shared grants are left                  CHANGING    downgrade it
 * CHANGING    answer: it is shared now                     RELEASED    -  (another HeldLease takes its place)
 * CHANGING    answer: it stays, or was not reached         HELD        -
 * CHANGING    answer: gone                                 LOST        -
 * CHANGING    no answer, though asked again                LOST        abandon what may have become of it
 * CHANGING    its term is found over                       OVERDUE     -
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
 * WAITING      the queue lets it ask the store                     ASKING
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
 *   <li>Leaves: map entries of {@link io.rowlock.client.lock.ThreadLocks} and of the interrupts of bodies, the set of
 *       {@link io.rowlock.client.lock.PendingReleases}, the alarms of {@link io.rowlock.client.lock.WakeableThread}.
 * </ol>
 *
 * None of these is acquired while another one is held. A method that finds something to report returns it (a list of holders, or null), and
 * its caller reports it without the monitor.
 */
@NullMarked
package io.rowlock.client.lock;

import org.jspecify.annotations.NullMarked;
