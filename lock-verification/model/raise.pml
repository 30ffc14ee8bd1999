/* Strategy `redis` beside a database: a server that may lose its data and whose clock is behind then, or whose replica takes its place
 * without the last grants; the tokens that transactions have noted in the database, and the script `raise`, which lifts a server that
 * grants tokens below those. One key.
 *
 * A token is the time, or one more than the token before; readers after a writer have a greater one than it: those who compare tokens see
 * 2 f of a writer, 2 f + 1 of a reader. A server forgets the token of an idle key when its clock is past `kept`. Before it
 * has caught up with a token it grants KEEP more at most, each of them a tick. Its clock may be set back.
 *
 * Mutual exclusion is not promised here: two may hold the key after the loss. What must hold is that transactions commit in the order of
 * their tokens, that none reads what a transaction with a smaller token is still to change, and that a refusal is not for ever: while the
 * server has its data, a token is greater than all before it, also than what it was raised to. After a fail-over the clock is past all
 * tokens, so more must hold: no holder begins a transaction after a later holder has. This takes for granted that a reader which the new
 * master knows is inside.
 *
 * Left out: several readers beside each other, who have one token (field k of the gate), and a writer that takes the gate beside them,
 * which raises f, and gives up (`RaisedTokenTests` has them).
 *
 * Statements, named as in the code:
 *   FenceSql: raise raised
 *   redis: raise acquire release prelude
 */
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef SETS
#define SETS 0
#endif
#ifndef FAILOVERS
#define FAILOVERS 0
#endif
#ifndef READER
#define READER 0        /* the process that reads; the other one writes */
#endif
#define N 2
#ifndef MOST
#define MOST 5          /* no token is greater */
#endif
#define KEEP 1          /* how long the token of an idle key is kept */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte f, u;              /* the server: token of the last lease, and who has it (0: released) */
byte clock = 1, kept;   /* its time, and until when f is kept at least */
byte ahead;             /* tokens that were granted ahead of the clock */
byte top;               /* ghost: the greatest token that it has granted or was raised to, since it last lost its data */
bit in;                 /* the reader is inside */
byte rf, ru; bit rin;   /* the replica */
byte losses, sets, failovers;
byte newer;             /* ghost: whose lease was granted last */
bit past[N + 1];        /* ghost: the holder after it has begun a transaction */
byte noted;             /* the database: the greatest token a transaction has relied on */
byte rowlock;           /* whose transaction has that row locked (0: none) */
byte last;              /* ghost: token of the last commit */
bit opened[N + 1];      /* ghost: it has read, and has not ended */
byte late, seenlate;    /* a `raise` that is on its way, and may be carried out any number of times */

#ifdef M_NORAISE
#define LIFT skip
#else
#define LIFT f = MAX(f, seenlate / 2)
#endif

#ifdef M_LASTTOKEN
#define CLOCKED (f == 0 -> clock : f)
#else
#define CLOCKED MAX(f, clock)
#endif

#ifdef M_LEFTBEHIND
#define LEFT in = 0
#else
#define LEFT in = 0; rin = 0
#endif

#if FAILOVERS
#define BEGUN assert(!past[me]); past[3 - me] = (me == newer)
#else
#define BEGUN skip
#endif

#ifdef M_NOKEEP
#define KEPT skip
#else
#define KEPT kept = MAX(kept, f + KEEP)
#endif

proctype Process(byte me) {
  byte t;
  do
  :: if
     :: atomic { me != READER && u == 0 && !in && MAX(f + 1, clock) <= MOST && (f < clock || ahead < KEEP) ->       /* acquire */
          f = MAX(f + 1, clock); ahead = (f > clock -> ahead + 1 : 0); kept = MAX(kept, clock + KEEP);
          assert(f > top); top = f; u = me; t = 2 * f; newer = me; past[me] = 0 }
     :: atomic { me == READER && u == 0 && MAX(f, clock) <= MOST ->                                                 /* acquire: read() */
          if :: in -> skip :: else -> f = CLOCKED; in = 1 fi;
          kept = MAX(kept, clock + KEEP); top = MAX(top, f); t = 2 * f + 1; newer = me; past[me] = 0 }
     fi;
     if
     :: atomic { rowlock == 0 -> rowlock = me;                          /* raise, raised: to the end of the transaction */
          if
#ifdef M_NOTOKEN
          :: true -> if :: t > noted -> noted = t :: else -> skip fi; opened[me] = 1
#else
          :: t >= noted -> noted = t; opened[me] = 1; BEGUN
          :: t < noted -> rowlock = 0; late = t; seenlate = noted       /* refused: the script `raise` is sent */
#endif
          fi };
#ifdef M_UNLOCKED
        atomic { if :: rowlock == me -> rowlock = 0 :: else -> skip fi };
#endif
        if
        :: atomic { opened[me] -> assert(t >= last); last = t; assert(!opened[3 - me]); opened[me] = 0;
             if :: rowlock == me -> rowlock = 0 :: else -> skip fi }    /* COMMIT */
        :: atomic { opened[me] = 0; if :: rowlock == me -> rowlock = 0 :: else -> skip fi }     /* rolled back, or refused */
        fi
     :: skip
     fi;
     atomic { if :: me == READER -> LEFT :: me != READER && u == me && f == t / 2 -> u = 0 :: else -> skip fi; t = 0 }  /* release */
  od
}

active proctype Server() {
  bit was;
  do
  :: atomic { losses < LOSSES && f > 0 -> losses++; f = 0; u = 0; kept = 0; ahead = 0; top = 0; clock = 1 } /* its clock is behind */
  :: atomic { sets < SETS && clock > 1 -> sets++; clock = 1; top = (f > 0 -> top : 0) }      /* set back: a forgotten token is lost */
  :: atomic { clock <= MOST + KEEP -> clock++ }
  :: atomic { u == 0 && f > 0 && clock > kept -> f = 0; kept = 0; ahead = 0 }     /* the idle gate expires */
  :: atomic { u != 0 -> u = 0 }                                         /* expired */
  :: atomic { in -> LEFT }
  :: atomic { failovers < FAILOVERS && (rf != f || ru != u || rin != in) -> rf = f; ru = u; rin = in }
  :: atomic { failovers < FAILOVERS -> failovers++; f = rf; u = ru; in = rin; ahead = 0; clock = MAX(clock, top + 1) }
  :: atomic { late != 0 && f == late / 2 -> LIFT; u = 0; LEFT; ahead = 0; KEPT; top = MAX(top, f); assert(2 * f + 1 >= seenlate) } /* raise: the next token is greater */
  :: atomic { late != 0 -> late = 0; seenlate = 0 }
  od
}

init { atomic { run Process(1); run Process(2) } }
