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
 * Readers beside each other have one token (k): with another, one of them would be refused once the other has begun. A writer that
 * takes the gate beside them raises f, and waits for the last of them, or gives up. While the server loses nothing, whoever has its lease
 * there is not refused.
 *
 * Statements, named as in the code:
 *   FenceSql: raise raised
 *   redis: raise acquire release drained prelude
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
#ifndef N
#define N 2             /* processes; fail-overs are for two */
#endif
#ifndef READER
#define READER N + 1    /* processes from this one on read; the others write */
#endif
#define READS(p) (p >= READER)
#ifndef MOST
#define MOST 5          /* no token is greater */
#endif
#define KEEP 1          /* how long the token of an idle key is kept */
#define MAX(a, b) ((a) > (b) -> (a) : (b))

byte f, u;              /* the server: token of the last lease, and who has it (0: released) */
byte clock = 1, kept;   /* its time, and until when f is kept at least */
byte ahead;             /* tokens that were granted ahead of the clock */
byte top;               /* ghost: the greatest token that it has granted or was raised to, since it last lost its data */
bit in[N + 1];          /* readers that are inside */
byte k;                 /* the token of those who come beside them; 0 if none is inside */
byte rf, ru, rk; bit rin[N + 1];        /* the replica */
byte losses, sets, failovers;
byte newer;             /* ghost: whose lease was granted last */
bit past[N + 1];        /* ghost: the holder after it has begun a transaction */
byte noted;             /* the database: the greatest token a transaction has relied on */
byte rowlock;           /* whose transaction has that row locked (0: none) */
byte last;              /* ghost: token of the last commit */
bit opened[N + 1];      /* ghost: it has read, and has not ended */
byte late, seenlate;    /* a `raise` that is on its way, and may be carried out any number of times */
byte lateof;            /* the reader that has sent it; 0: a writer */

#if N == 2
#define ANY(x) (x[1] || x[2])
#define OTHERS(x) x[3 - me]
#else
#define ANY(x) (x[1] || x[2] || x[3])
#define OTHERS(x) ((me != 1 && x[1]) || (me != 2 && x[2]) || (me != 3 && x[3]))
#endif

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

#ifdef M_OWNTOKENS
#define BESIDE f
#else
#define BESIDE k
#endif

#ifdef M_FIRSTKEEPS
#define FIRST(now) if :: k == 0 -> k = now :: else -> skip fi
#define NOBODY skip
#else
#define FIRST(now) k = now
#define NOBODY if :: !ANY(in) -> k = 0 :: else -> skip fi
#endif

#ifdef M_RAISEALONE
#define RAISED skip
#else
#define RAISED k = f
#endif

inline leaves(who) {
  in[who] = 0; NOBODY;
#ifndef M_LEFTBEHIND
  rin[who] = 0; if :: !ANY(rin) -> rk = 0 :: else -> skip fi
#endif
}

#if LOSSES + SETS + FAILOVERS
#define REFUSED skip
#else
#define REFUSED assert(!in[me] && (u != me || f != t / 2))
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
     :: atomic { !READS(me) && u == 0 && MAX(f + 1, clock) <= MOST && (f < clock || ahead < KEEP) ->                /* acquire */
          f = MAX(f + 1, clock); ahead = (f > clock -> ahead + 1 : 0); kept = MAX(kept, clock + KEEP);
          assert(f > top); top = f; u = me; t = 2 * f; newer = me; past[me] = 0;
          if :: ANY(in) -> goto waits :: else -> goto holds fi }
     :: atomic { READS(me) && u == 0 && MAX(f, clock) <= MOST ->                                                    /* acquire: read() */
          if :: ANY(in) -> skip :: else -> f = CLOCKED; FIRST(f) fi;
          in[me] = 1; kept = MAX(kept, clock + KEEP); top = MAX(top, f); t = 2 * BESIDE + 1; newer = me; past[me] = 0; goto holds }
     fi;
waits:
     if
     :: atomic { u == me && f == t / 2 && !ANY(in) -> skip }                 /* drained */
     :: goto over                                                       /* gives up */
     fi;
holds:
     if
     :: atomic { rowlock == 0 -> rowlock = me;                          /* raise, raised: to the end of the transaction */
          if
#ifdef M_NOTOKEN
          :: true -> if :: t > noted -> noted = t :: else -> skip fi; opened[me] = 1
#else
          :: t >= noted -> noted = t; opened[me] = 1; BEGUN
          :: t < noted -> REFUSED; rowlock = 0; late = t; seenlate = noted; lateof = (READS(me) -> me : 0)   /* refused: `raise` is sent */
#endif
          fi };
#ifdef M_UNLOCKED
        atomic { if :: rowlock == me -> rowlock = 0 :: else -> skip fi };
#endif
        if
        :: atomic { opened[me] -> assert(t >= last); last = t; assert(!OTHERS(opened)); opened[me] = 0;
             if :: rowlock == me -> rowlock = 0 :: else -> skip fi }    /* COMMIT */
        :: atomic { opened[me] = 0; if :: rowlock == me -> rowlock = 0 :: else -> skip fi }     /* rolled back, or refused */
        fi
     :: skip
     fi;
over:
     atomic { if :: READS(me) -> leaves(me) :: !READS(me) && u == me && f == t / 2 -> u = 0 :: else -> skip fi; t = 0 } /* release */
  od
}

active proctype Server() {
  do
  :: atomic { losses < LOSSES && f > 0 -> losses++; f = 0; u = 0; kept = 0; ahead = 0; top = 0; clock = 1; /* its clock is behind */
       k = 0; in[2] = 0; in[N] = 0 }
  :: atomic { sets < SETS && clock > 1 -> sets++; clock = 1; top = (f > 0 -> top : 0) }      /* set back: a forgotten token is lost */
  :: atomic { clock <= MOST + KEEP -> clock++ }
  :: atomic { u == 0 && !ANY(in) && f > 0 && clock > kept -> f = 0; kept = 0; ahead = 0 }    /* the idle gate expires */
  :: atomic { u != 0 -> u = 0 }                                         /* expired */
  :: atomic { in[2] -> leaves(2) }
#if N > 2
  :: atomic { in[3] -> leaves(3) }
#endif
#if FAILOVERS
  :: atomic { failovers < FAILOVERS && (rf != f || ru != u || rk != k || rin[2] != in[2]) -> rf = f; ru = u; rk = k; rin[2] = in[2] }
  :: atomic { failovers < FAILOVERS -> failovers++; f = rf; u = ru; k = rk; in[2] = rin[2]; ahead = 0; clock = MAX(clock, top + 1) }
#endif
  :: atomic { late != 0 && lateof == 0 && f == late / 2 -> LIFT; u = 0; ahead = 0; KEPT; top = MAX(top, f);  /* raise: the next token is greater */
       if :: ANY(in) -> k = f :: else -> skip fi; assert(2 * f + 1 >= seenlate) }
  :: atomic { lateof != 0 && in[lateof] ->                              /* raise, of a reader */
       if
       :: 2 * k + 1 < seenlate && u == 0 -> LIFT; ahead = 0; RAISED; KEPT; top = MAX(top, f)
       :: 2 * k + 1 < seenlate && u != 0 -> RAISED; KEPT                /* the writer that waits has its token */
       :: else -> skip
       fi;
       leaves(lateof); assert(u != 0 || (2 * f + 1 >= seenlate && (!ANY(in) || 2 * k + 1 >= seenlate))) }
  :: atomic { late != 0 -> late = 0; seenlate = 0; lateof = 0 }
  od
}

init { atomic { run Process(1); run Process(2);
#if N > 2
  run Process(3)
#endif
} }
