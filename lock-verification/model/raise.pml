/* Strategy `redis` beside a database: a server that may lose its data and whose clock is behind then, the tokens that transactions have
 * noted in the database, and the script `raise`, which lifts a server that grants tokens below those. One key.
 *
 * Mutual exclusion is not promised here: two may hold the key after the loss. What must hold is that transactions commit in the order of
 * their tokens, that none reads what a transaction with a smaller token is still to change, and that a refusal is not for ever.
 *
 * Statements, named as in the code:
 *   FenceSql: raise raised
 *   redis: raise acquire release
 */
#ifndef LOSSES
#define LOSSES 1
#endif
#define N 2
#define MOST 6          /* no token is greater */

byte f, u;              /* the server: token of the last lease, and who has it (0: released) */
byte losses;
byte noted;             /* the database: the greatest token a transaction has relied on */
byte rowlock;           /* whose transaction has that row locked (0: none) */
byte last;              /* ghost: token of the last commit */
bit opened[N + 1];      /* ghost: it has read, and has not ended */
byte late, seenlate;    /* a `raise` that is on its way, and may be carried out any number of times */

#ifdef M_NORAISE
#define LIFT skip
#else
#define LIFT f = (f > seenlate -> f : seenlate)
#endif

proctype Process(byte me) {
  byte t;
  do
  :: atomic { u == 0 && f < MOST -> f++; u = me; t = f };               /* acquire */
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
  :: atomic { losses < LOSSES && f > 0 -> losses++; f = 0; u = 0 }      /* its clock is behind: tokens begin again below */
  :: atomic { u != 0 -> u = 0 }                                         /* expired */
  :: atomic { late != 0 && f == late -> LIFT; u = 0; assert(f >= seenlate) } /* raise: the next token is greater than what was seen */
  :: atomic { late != 0 -> late = 0; seenlate = 0 }
  od
}

init { atomic { run Process(1); run Process(2) } }
