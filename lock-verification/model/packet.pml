/* Takes and releases in packets (LeaseBatcher): one key, whose gate may not exist yet; each node carries one change a packet.
 * A packet may arrive late, its answer may be lost, its session may be killed: then it is rolled back. A lease never expires
 * here, so whatever is left behind without a holder stays, and is found at the end.
 *
 * Statements, named as in the code:
 *   LeasePacketSql: text acquire release gates create
 *   LeaseSql: createAcquired
 */
#define NONE 0
#define GATE 1          /* carried out */
#define NULLGATE 2      /* nothing was changed: the thread does it alone */
#define UNSURE 3
#define BUSY 4
#ifndef ROUNDS
#define ROUNDS 2
#endif
bit gx; byte gf; byte gn; bit rel = 1; byte lock;       /* gate: there, fence, nonce, released; the packet that has it locked */
byte answer[9]; bool before[9], fits[9], matched[9]; byte fence[9]; bool ended[9];
/* indexed by statement number */
byte inside;            /* nodes that believe they hold the key */
byte next = 1;          /* nonces, and statements */

inline newnonce(v) { d_step { v = next; next++ } }

/* take: whether it takes under nonce v, or releases fence v */
proctype Packet(byte s; bit take; byte v) {
  bit locked, hit, oldrel; byte oldgf, oldgn; bit kill;
  if
  :: atomic { lock != 0 ->
#ifdef M_NOWAITDOES
       skip
#endif
       answer[s] = NULLGATE; ended[s] = 1 }                         /* NOWAIT: rolled back for certain */
  :: atomic { lock == 0 ->
       if
       :: gx -> before[s] = 1; fits[s] = (take -> rel : !rel && gf == v); fence[s] = (take -> gf + 1 : gf);
#ifndef M_NOLOCK
          lock = s; locked = 1
#endif
       :: else -> before[s] = 0; fits[s] = 0
       fi };
     atomic { /* UPDATE: waits for a gate that another transaction has created and locked */
       lock == 0 || lock == s ->
       oldrel = rel; oldgf = gf; oldgn = gn;
       hit = gx && (take -> rel : !rel && gf == v);
       if :: hit -> lock = s; locked = 1;
             if :: take -> gf = gf + 1; gn = v; rel = 0 :: else -> rel = 1 fi
          :: else -> skip fi };
     if
     :: atomic { skip -> matched[s] = hit; answer[s] = GATE; if :: lock == s -> lock = 0 :: else -> skip fi; ended[s] = 1 }
     :: atomic { hit -> rel = oldrel; gf = oldgf; gn = oldgn; lock = 0; ended[s] = 1 }   /* killed before its COMMIT */
     :: atomic { !hit -> if :: lock == s -> lock = 0 :: else -> skip fi; ended[s] = 1 }
     fi
  fi
}

proctype Node() {
  byte n, f, s, tries; bit held, unsure, more;
  byte round = 0;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS && next < 6 ->
     round++; held = 0; unsure = 0;
     newnonce(n); s = n;
     run Packet(s, 1, n);
     if
     :: atomic { answer[s] == GATE ->
          if
#ifdef M_TRUSTSELECT
          :: fits[s] -> held = 1; f = fence[s]
          :: else -> skip
#else
          :: fits[s] -> held = 1; f = fence[s]
          :: !fits[s] && matched[s] -> more = 1
          :: else -> skip
#endif
          fi };
        if
        :: more -> more = 0;
#ifdef M_NONONCE
           atomic { if :: gx && !rel -> held = 1; f = gf :: else -> skip fi }
#else
           atomic { if :: gx && !rel && gn == n -> held = 1; f = gf :: else -> skip fi }  /* gates() */
#endif
        :: else -> skip fi
     :: atomic { answer[s] == NULLGATE -> skip }
     :: atomic { answer[s] != NULLGATE -> unsure = 1 }         /* gave up, or the answer was lost */
     fi;
#ifdef M_UNSUREALONE
     unsure = 0;
#endif
     if
     :: !held && !unsure -> /* alone: takes the gate, or creates it acquired */
        if
        :: atomic { !gx && lock == 0 -> /* createAcquired, or create for a packet: all of it, or a duplicate */
             gx = 1; gf = gf + 1; gn = n; rel = 0;
             if :: held = 1; f = gf :: unsure = 1 fi }                     /* its answer may be lost */
#ifdef M_CREATEOVER
        :: atomic { gx && lock == 0 -> gf = gf + 1; gn = n; rel = 0; held = 1; f = gf } /* a duplicate is updated */
#endif
        :: atomic { gx && lock == 0 -> if :: rel -> gf = gf + 1; gn = n; rel = 0; held = 1; f = gf :: else -> skip fi }
        fi
     :: else -> skip
     fi;
     if
#ifdef M_NOABANDON
     :: unsure -> skip
#else
     :: unsure -> /* revoked until it has ended something, or nothing can come of the attempt any more */
        do
        :: atomic { lock == 0 ->
#ifdef M_ABDONCE
             if :: gx && !rel && gn == n -> rel = 1 :: else -> skip fi; break
#else
             if :: gx && !rel && gn == n -> rel = 1; break
                :: !(gx && !rel && gn == n) && ended[s] -> break
                :: else -> skip fi
#endif
           }
        od
#endif
     :: else -> skip
     fi;
     if
     :: held ->
        atomic { inside++; assert(inside == 1); assert(!rel && gn == n && gf == f) };
        inside--;
        /* the release: in a packet or alone, again if its outcome is not known */
        if
        :: newnonce(s); run Packet(s, 0, f);
           if
           :: atomic { answer[s] == GATE && fits[s] -> skip }
           :: atomic { answer[s] == GATE && !fits[s] -> assert(0) }
           :: else -> skip
           :: atomic { answer[s] != GATE -> atomic { lock == 0 -> if :: gx && !rel && gf == f -> rel = 1 :: else -> skip fi } }
           :: atomic { answer[s] == GATE -> skip }
           fi;
           atomic { lock == 0 -> if :: gx && !rel && gf == f -> rel = 1 :: else -> skip fi }
        :: atomic { lock == 0 -> if :: gx && !rel && gf == f -> rel = 1 :: else -> skip fi }
        fi;
        f = 0
     :: else -> skip
     fi
  :: round < ROUNDS && next >= 6 -> break
  od;
  n = 0; s = 0
}
byte finished;
init { atomic { run Node(); run Node() };
  (_nr_pr == 1) -> assert(lock == 0); assert(rel) /* nothing is left behind */ }
