/* Tokens, hand-off inside a process, readers, and a clean-up that removes idle gates and raises the floor. One key.
 * Tokens are absolute; each server's clock is behind (M = 0), so that only the rules about the rows make tokens grow.
 * Expiry is a nondeterministic step that ends the belief first and lets the row expire then.
 *
 * Statements, named as in the code:
 *   LeaseSql: createGate createAcquired acquireExclusive takeOver acquireShared markShared endExpired
 *   WindowCleanUp: candidates
 *   IdleGateCleanUp: deleteReader raiseFloor lockIdleGates haveReaders deleteGates
 */
#ifndef GRANTS
#define GRANTS 4        /* exclusive leases in all */
#endif
#define T 4             /* tokens of a lease: fence, T-2 hand-offs, the last for readers after it */
#define RELEASED 0
#define LIVE 1
#define EXPIRED 2
#ifdef M_RANGE
#define NEXT 1
#else
#define NEXT T
#endif
#ifdef M_MOST
#define MOST T
#else
#define MOST (T - 2)
#endif
#ifdef M_READERTOKEN
#define READERTOKEN gf
#else
#define READERTOKEN (gf + T - 1)
#endif

#ifdef M_CREATEATFLOOR
#define CREATED 0
#else
#define CREATED T
#endif

bit gx; byte gf; byte ge; bit gs;       /* the gate: there, fence, state, has had readers */
byte rows; bit rowexp;                  /* the reader's row: 0 none, 1 one; expired */
bit fx = 1; byte ff;                    /* the floor */
byte fshare;                            /* statements that share-lock the floor */
bit glock;                              /* the clean-up has locked the gate */
bit gshare;                             /* a reader's statement has */
byte holder;                            /* 1 + actor of the exclusive lease that is believed in; 0 none */
bit reader;                             /* a reader's belief */
byte maxX, maxR, leases;

inline grantX(tok) { assert(tok > maxX); assert(tok >= maxR); maxX = tok }
inline grantR(tok) { assert(tok >= maxX); if :: tok > maxR -> maxR = tok :: else -> skip fi }

inline create(sh, mine) { /* createAcquired, or createGate for readers: INSERT … SELECT … LOCK IN SHARE MODE on the floor */
  atomic {
#ifdef M_FLOORNOWAIT
    v = (fx -> ff : 0)
#else
    if :: fx -> fshare++; locked = 1; v = ff :: else -> v = 0; locked = 0 fi
#endif
  }
  atomic {
    if
    :: !gx && sh -> gx = 1; gf = v; ge = RELEASED; gs = 1
    :: !gx && !sh -> gx = 1; gf = v + CREATED; ge = LIVE; gs = 0; mine = gf; leases++
    :: else -> skip                                                     /* a duplicate */
    fi;
#ifndef M_FLOORNOWAIT
    if :: locked -> fshare--; locked = 0 :: else -> skip fi;
#endif
    v = 0 }
}

proctype Writer(byte me) {
  byte v, fence, n; bit locked;
  do
  :: leases < GRANTS ->
     if
     :: !gx -> create(0, fence)
     :: atomic { gx && !glock && !gshare && ge != LIVE -> /* acquireExclusive or takeOver, one statement */
          leases++; gf = gf + NEXT; ge = LIVE; fence = gf }
     fi;
     if
     :: fence == 0 -> skip
     :: else ->
        n = 0;
        if
        :: atomic { gs -> skip };
           do /* drain: a plain read, and the deletion of what has expired */
           :: atomic { rows && rowexp -> rows = 0; rowexp = 0 }
           :: atomic { rows == 0 && gf == fence && ge == LIVE -> holder = me + 1; assert(!reader); grantX(fence); break }
           :: atomic { ge != LIVE || gf != fence -> break }
           od
        :: atomic { !gs && gf == fence && ge == LIVE -> holder = me + 1; assert(!reader); grantX(fence) }
        :: atomic { gf != fence || ge != LIVE || !gx -> skip }  /* the answer came too late, or never */
        fi;
        do
        :: atomic { holder == me + 1 && n < MOST -> n++; grantX(fence + n) }                    /* a local writer follows */
        :: atomic { holder == me + 1 && maxR < fence + n -> grantR(fence + n) }                 /* local readers follow */
        :: atomic { holder == me + 1 && gf == fence && !glock && !gshare -> holder = 0; ge = RELEASED; break }
        :: atomic { holder == me + 1 -> holder = 0; break }                                     /* lost */
        :: atomic { holder != me + 1 -> break }
        od;
        fence = 0; n = 0
     fi
  od
}

proctype Reader() {
  byte v; bit locked, in; byte tok;
  do
  :: rows == 0 && leases < GRANTS ->
     if
     :: !gx -> create(1, tok)
     :: atomic { gx && !gs && !glock -> gs = 1 }                        /* markShared */
     :: atomic { gx && gs && ge == EXPIRED && !glock -> ge = RELEASED }  /* endExpired */
     :: atomic { gx && gs && ge == RELEASED && !glock -> gshare = 1; tok = READERTOKEN; in = 1 }
     fi;
     if
     :: in -> atomic { rows = 1; rowexp = 0; gshare = 0; in = 0; reader = 1; assert(holder == 0); grantR(tok); tok = 0 }
     :: else -> skip
     fi
  :: atomic { reader -> reader = 0 }                                   /* its deadline has passed */
  :: atomic { rows && !reader && !rowexp -> rowexp = 1 }
  :: atomic { rows && !reader -> rows = 0; rowexp = 0 }                 /* its release, perhaps late */
  od
}

proctype CleanUp() {
  byte seen, floor; bit missing, free;
  do
  :: atomic { gx && ge != LIVE -> seen = gf };                          /* candidates, read without locking */
#ifndef M_NOFLOOR
#ifndef M_FLOORAFTER
     atomic { missing = !fx };
     atomic { fshare == 0 -> fx = 1; if :: seen > ff -> ff = seen :: else -> skip fi };  /* raiseFloor, its own transaction */
     floor = (missing -> 0 : seen);
#else
     floor = seen;
#endif
#else
     floor = seen;
#endif
     atomic { if
#ifdef M_NOSEEN
     :: gx && ge != LIVE && !gshare && floor > 0 -> glock = 1
#else
     :: gx && ge != LIVE && !gshare && gf <= floor -> glock = 1          /* lockIdleGates: FOR UPDATE SKIP LOCKED */
#endif
     :: else -> skip fi };
     if
     :: glock ->
#ifdef M_READERS
        free = 1;
#else
        free = (rows == 0);                                             /* haveReaders: a plain read */
#endif
        atomic { if :: free -> gx = 0; gf = 0; ge = 0; gs = 0 :: else -> skip fi; glock = 0 }
     :: else -> skip
     fi;
#ifdef M_FLOORAFTER
     atomic { fshare == 0 -> if :: seen > ff -> ff = seen :: else -> skip fi };
#endif
     seen = 0; floor = 0; missing = 0; free = 0
  :: atomic { rows && rowexp -> rows = 0; rowexp = 0 }                  /* deleteReader: a dead one */
  od
}

proctype Clock() { do :: atomic { gx && ge == LIVE && holder == 0 && !glock -> ge = EXPIRED } od }

init { atomic {
#ifdef NOFLOORATSTART
  fx = 0;
#endif
  run Writer(0); run Writer(1); run Reader(); run CleanUp(); run Clock() } }
