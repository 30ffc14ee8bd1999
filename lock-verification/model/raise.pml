/* Strategy `redis` beside a database: a server that may lose its data and whose clock is behind then, the tokens that transactions have
 * noted in the database, and the script `raise`, which lifts a server that grants tokens below those. One key.
 *
 * A token is the time, or one more than the token before. A server forgets the token of an idle key when its clock is past `kept`. Before it
 * has caught up with a token it grants KEEP more at most, each of them a tick. Its clock may be set back.
 *
 * Mutual exclusion is not promised here: two may hold the key after the loss. What must hold is that transactions commit in the order of
 * their tokens, that none reads what a transaction with a smaller token is still to change, and that a refusal is not for ever: while the
 * server has its data, a token is greater than all before it, also than what it was raised to.
 *
 * Statements, named as in the code:
 *   FenceSql: raise raised
 *   redis: raise acquire release
 */
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef SETS
#define SETS 0
#endif
#define N 2
#define MOST 5          /* no token is greater */
#define KEEP 1          /* how long the token of an idle key is kept */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte f, u;              /* the server: token of the last lease, and who has it (0: released) */
byte clock = 1, kept;   /* its time, and until when f is kept at least */
byte ahead;             /* tokens that were granted ahead of the clock */
byte top;               /* ghost: the greatest token that it has granted or was raised to, since it last lost its data */
byte losses, sets;
byte noted;             /* the database: the greatest token a transaction has relied on */
byte rowlock;           /* whose transaction has that row locked (0: none) */
byte last;              /* ghost: token of the last commit */
bit opened[N + 1];      /* ghost: it has read, and has not ended */
byte late, seenlate;    /* a `raise` that is on its way, and may be carried out any number of times */

#ifdef M_NORAISE
#define LIFT skip
#else
#define LIFT f = MAX(f, seenlate)
#endif

#ifdef M_NOKEEP
#define KEPT skip
#else
#define KEPT kept = MAX(kept, f + KEEP)
#endif

proctype Process(byte me) {
  byte t;
  do
  :: atomic { u == 0 && MAX(f + 1, clock) <= MOST && (f < clock || ahead < KEEP) ->         /* acquire */
       f = MAX(f + 1, clock); ahead = (f > clock -> ahead + 1 : 0); kept = MAX(kept, clock + KEEP);
       assert(f > top); top = f; u = me; t = f };
     if
     :: atomic { rowlock == 0 -> rowlock = me;                          /* raise, raised: to the end of the transaction */
          if
#ifdef M_NOTOKEN
          :: true -> if :: t > noted -> noted = t :: else -> skip fi; opened[me] = 1
#else
          :: t >= noted -> noted = t; opened[me] = 1
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
     atomic { if :: u == me && f == t -> u = 0 :: else -> skip fi; t = 0 }                      /* release */
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
  :: atomic { late != 0 && f == late -> LIFT; u = 0; ahead = 0; KEPT; top = MAX(top, f); assert(f >= seenlate) } /* raise: the next token is greater */
  :: atomic { late != 0 -> late = 0; seenlate = 0 }
  od
}

init { atomic { run Process(1); run Process(2) } }
