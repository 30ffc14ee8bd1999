/* Strategy `lease` of Rowlock: the protocol between processes and the lock table, one key.
 *
 * Time is relative: every row, belief and answer carries what is left of it in ticks, so a run may be endless and the state
 * space is finite all the same. A server statement has its clock reading frozen at its start: it is carried out with a reading
 * that is 0..W ticks old, but never older than its sending. A statement whose sender gave up stays on its way for as long as
 * it likes (also for ever = lost). Lease ids stand for nonce and fence alike: both name one lease; only statements of a node
 * that got the answer use it as a fence. An id is used again only when nothing refers to it any more.
 *
 * Options: ORPHAN bounds for how long a lease stays that nobody relies on; LOOK has an incomplete batch of renewals judged by a later
 * read; TWOPHASE takes in a transaction, as packets do; PERMITS=n has the nodes of SM ask for permits; DG adds
 * downgrades, EXT extensions, KEEP=n a minimum time, FORCE an operator, CLK a server clock that is set; FENCEONLY judges commits alone.
 *
 * One process; each option of the loop is one atomic step. Mutants: -DM_...
 *
 * Statements, named as in the code:
 *   LeaseSql: acquireExclusive takeOver acquireShared acquirePermit markShared endExpired readers deleteExpiredReader
 *   LeaseSql: releaseExclusive releaseAndLeaveQueue releaseAndAskForWaiters releaseShared abandonExclusive
 *   LeaseSql: reopenForReaders insertReader
 *   ExpiringRowSql: renew live endLater fence
 */
#ifndef N
#define N 2             /* nodes, one thread each */
#endif
#ifndef M
#define M 3             /* statements on their way at a time, all nodes together */
#endif
#ifndef K
#define K 4             /* leases and attempts that anything refers to at a time */
#endif
#ifndef TTL
#define TTL 2
#endif
#ifndef W
#define W 1             /* how old a frozen clock reading can be when a statement is carried out */
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef XM
#define XM 7            /* which nodes write, as bits */
#endif
#ifndef SM
#define SM 0            /* which nodes read */
#endif
#define XN(i) ((XM >> i) & 1)
#define SN(i) ((SM >> i) & 1)
#define MARKS (SM != 0) /* there are readers that mark the key */

#ifdef NEEDWHO
#define KEEPSWHO 1
#else
#define KEEPSWHO 0
#endif
#define IDLE 0
#define ASK 1
#define DRAIN 2
#define HELD 3
#define DOWNING 4
#define CRASHED 5
#define SEEN 6          /* its look found no reader; the answer is on its way */

#define acquireExclusive 1
#define acquireShared 2
#define renew 3
#define releaseExclusive 4
#define abandonExclusive 5
#define fence 6
#define reopenForReaders 7
#define endLater 8

#if N==2
#define ANYN(P) (P(0) || P(1))
#define EACHN(S) S(0) S(1)
#else
#define ANYN(P) (P(0) || P(1) || P(2))
#define EACHN(S) S(0) S(1) S(2)
#endif
#if M==2
#define ANYM(P) (P(0) || P(1))
#define EACHM(S) S(0) S(1)
#elif M==3
#define ANYM(P) (P(0) || P(1) || P(2))
#define EACHM(S) S(0) S(1) S(2)
#else
#define ANYM(P) (P(0) || P(1) || P(2) || P(3))
#define EACHM(S) S(0) S(1) S(2) S(3)
#endif
#if W==1
#define EACHA(S,j) S(j,0) S(j,1)
#else
#define EACHA(S,j) S(j,0) S(j,1) S(j,2)
#endif

/* ---- the table. Remaining times are shifted by W: v <= W is expired. */
byte gi;                /* lease in the gate, 0 if released */
byte gw;                /* its owner (mutants only) */
byte gr;                /* remaining time + W */
bit gs;                 /* key has had readers */
#ifdef KEEP
bit gk;                 /* its holder has ended it for later: it is only kept for its minimum */
byte kp;                /* ghost: for how many ticks */
#endif
byte rr[K+1];           /* rows of readers: 0 absent, else 1 + remaining + W */

/* ---- the nodes */
byte ph[N]; bit md[N];  /* md: 1 exclusive */
byte id[N]; byte bl[N]; /* its lease, and how long it still believes in it (for an attempt: would) */
bit rp[N]; byte rb[N];  /* a renewal is awaited; what its answer would bring */
byte tx[N];             /* business transaction: 1 open, has read; 2 fence awaited; 3 checked, COMMIT may run any time */
bit hx[N];              /* it holds the row lock of its lease */
byte fa[N];             /* ticks since the fence was sent */
bit dirty[N];           /* ghost: another transaction has committed since it read */
#ifdef DG
byte i2[N];             /* the reader's lease of a downgrade under way */
#endif
byte crashes;
#ifdef FORCE            /* an operator ends a lease that lasts, once */
bit forced;
byte pb;                /* for how many ticks two have believed in the key */
#endif
#ifdef ORPHAN
byte orph;              /* for how many ticks nobody has relied on the lease in the gate */
#define OWNS(i) (ph[i] != CRASHED && ph[i] != IDLE && id[i] == gi || hx[i] && md[i])
#endif

/* ---- statements on their way */
byte k[M]; byte who[M]; byte sid[M]; bit sm[M]; bit al[M]; byte st[M]; byte rs[M];
/* st: 0 on its way, 2 carried out and not committed, 3 answered; al: the sender waits for the answer */
byte ag[M];             /* ticks since it was sent, W at most: a clock reading is not older than its statement */
byte ua[M];             /* age of the clock reading of one that is not committed */
#ifdef DG
byte s2[M];
#endif
#ifdef EXT
byte sl[M];             /* ttl of a renewal */
#endif

byte f, q, x, y, z, w;  /* of one step only: zero between steps */

#define FREESLOT(j) (k[j] == 0)
#define FS ANYM(FREESLOT)
#define XH(i) (hx[i] && md[i])
#define GX ANYN(XH)                     /* a business transaction has the gate locked for update */
#ifdef TWOPHASE /* a take is a transaction of its own: a packet */
#define TAKETO(j,a) st[j] = 2; ua[j] = a; ag[j] = 0
#define O_TAKEC(j) \
:: d_step { k[j] == acquireExclusive && st[j] == 2 -> gi = sid[j]; gr = W + TTL - ua[j]; ua[j] = 0; rs[j] = 1 + gs; NEWKEEP NEWORPH \
   printf("take of %d committed\n", sid[j]); if :: al[j] -> st[j] = 3 :: else -> freeslot(j) fi; END } \
:: d_step { (k[j] == acquireExclusive || k[j] == acquireShared) && st[j] == 2 && !al[j] -> freeslot(j); END }
#define TKING(j) (k[j] == acquireExclusive && st[j] == 2)
#define GT ANYM(TKING)
#else
#define GT (0)
#endif
#define RDING(j) (k[j] == acquireShared && st[j] == 2)
#define DNING(j) (k[j] == reopenForReaders && st[j] == 2)
#ifdef M_NOSHARE
#define GS (0)
#else
#define GS ANYM(RDING)                  /* a reader that is not committed share-locks it */
#endif
#ifdef DG
#ifdef M_DOWNTWOTX
#define GD (0)
#else
#define GD ANYM(DNING)
#endif
#else
#define GD (0)
#endif
#define GATEFREE (!GX && !GS && !GD && !GT)
#if defined(PERMITS) && !defined(M_PERMITSHARE)
#define READMAY GATEFREE                /* a permit locks the gate for update: one counts at a time */
#elif defined(M_FENCESHARE)
#define READMAY (!GD)                   /* the check of a writer share-locks only: readers pass */
#elif defined(M_NOSHARE)
#define READMAY (1)
#else
#define READMAY (!GX && !GD && !GT)
#endif
#define SLOCKEDBY(i) (hx[i] && !md[i] && id[i] == z)

inline freeslot(j) { k[j] = 0; who[j] = 0; sid[j] = 0; sm[j] = 0; al[j] = 0; st[j] = 0; rs[j] = 0; ua[j] = 0; ag[j] = 0;
#ifdef DG
  s2[j] = 0;
#endif
#ifdef EXT
  sl[j] = 0;
#endif
}
inline dead(j) { /* its sender waits no more */
  al[j] = 0;
#ifndef NEEDWHO
  who[j] = 0;
#endif
  if
  :: st[j] == 3 || k[j] == fence || (k[j] == reopenForReaders && st[j] == 0) -> freeslot(j) /* nothing comes of them */
  :: else -> skip
  fi }
inline alloc() { /* q := a free slot */
  q = 0;
  do :: k[q] != 0 -> q++ :: else -> break od }

#define REFN(i) (id[i] == f REF2(i))
#ifdef DG
#define REF2(i) || i2[i] == f
#define REFM(j) (k[j] != 0 && (sid[j] == f || s2[j] == f))
#else
#define REF2(i)
#define REFM(j) (k[j] != 0 && sid[j] == f)
#endif
inline fresh() { /* f := an id that nothing refers to; 0 if there is none */
  f = 1;
  do
  :: f > K -> f = 0; break
  :: f <= K && (gi == f || rr[f] != 0 || ANYN(REFN) || ANYM(REFM)) -> f++
  :: else -> break
  od }

inline send(kind, i, lease, mode, alive) {
  alloc(); k[q] = kind; who[q] = i; sid[q] = lease; sm[q] = mode; al[q] = alive;
#ifndef NEEDWHO
  if :: !alive -> who[q] = 0 :: else -> skip fi;
#endif
  st[q] = 0; ag[q] = 0 }

/* A release or revocation is sent again and again, so it may be carried out any number of times, until it is dropped. */
inline background(kind, i, lease, mode) {
  if :: FS -> send(kind, i, lease, mode, 0) :: else -> skip /* left to its ttl */ fi }
inline release(i) { /* the client's part: it relies on it no more, and has it released */
  f = id[i]; y = md[i]; leave(i); background(releaseExclusive, i, f, y) }
inline leave(i) {
  x = 0;
  do
  :: x < M -> if :: al[x] && who[x] == i && k[x] != 0 -> dead(x) :: else -> skip fi; x++
  :: else -> break
  od;
  ph[i] = IDLE; id[i] = 0; bl[i] = 0; rp[i] = 0; rb[i] = 0; md[i] = 0;
#ifdef DG
  i2[i] = 0;
#endif
}

#if N==2
#define PAIRBAD (ph[0] == HELD && bl[0] > 0 && ph[1] == HELD && bl[1] > 0 && (md[0] || md[1]))
#else
#define PB(a,b) (ph[a] == HELD && bl[a] > 0 && ph[b] == HELD && bl[b] > 0 && (md[a] || md[b]))
#define PAIRBAD (PB(0,1) || PB(0,2) || PB(1,2))
#endif
#ifdef PERMITS /* in use: believed in, or checked by a transaction that is still to commit */
#define PU(i) (ph[i] == HELD && bl[i] > 0 && !md[i] || tx[i] == 3 && !md[i] -> 1 : 0)
#if N==2
#define MANY (PU(0) + PU(1) > PERMITS)
#else
#define MANY (PU(0) + PU(1) + PU(2) > PERMITS)
#endif
#define WRITES(i) (md[i] || PERMITS == 1)
#else
#define MANY (0)
#define WRITES(i) (md[i])
#endif
#if defined(FENCEONLY) || defined(FORCE)
#define CHK skip
#else
#define CHK assert(!PAIRBAD); assert(!MANY)            /* mutual exclusion of live beliefs */
#endif
#ifdef FENCEONLY
#define CHKR skip
#else
#define CHKR assert(!ANYN(CHKW))        /* no reader beside a writer that is still to commit */
#endif
#define CHKW(i) (tx[i] == 3 && md[i])   /* a writer's checked, uncommitted commit */

/* ---- taking */
#define O_ASKX(i) \
:: d_step { ph[i] == IDLE && XN(i) && FS && tx[i] == 0 -> fresh(); \
   if :: f == 0 -> skip :: else -> send(acquireExclusive, i, f, 1, 1); ph[i] = ASK; md[i] = 1; id[i] = f; bl[i] = TTL fi; END }
#define O_ASKS(i) \
:: d_step { ph[i] == IDLE && SN(i) && FS && tx[i] == 0 -> fresh(); \
   if :: f == 0 -> skip :: else -> send(acquireShared, i, f, 0, 1); ph[i] = ASK; md[i] = 0; id[i] = f; bl[i] = TTL fi; END }

#ifdef M_EARLY
#define FREEAT(a) (gi == 0 || gr + a <= W + 1)
#else
#define FREEAT(a) (gi == 0 || gr + a <= W)
#endif
#ifdef M_FENCENOLOCK
#define TAKEMAY (!GS && !GD)
#else
#define TAKEMAY GATEFREE
#endif
#ifdef KEEP
#define NEWKEEP gk = 0; kp = 0;
#else
#define NEWKEEP
#endif
#ifndef TWOPHASE
#define TAKETO(j,a) gi = sid[j]; gr = W + TTL - a; rs[j] = 1 + gs; st[j] = 3; NEWKEEP NEWORPH SETGW(j)
#define O_TAKEC(j)
#endif
#ifdef M_TAKELOCKED /* takes over a lease whose row a checked transaction has locked */
#define TAKEMAY2 (!GS && !GD)
#else
#define TAKEMAY2 TAKEMAY
#endif
#ifdef ORPHAN
#define NEWORPH orph = 0;
#else
#define NEWORPH
#endif
#define O_TAKE(j,a) \
:: d_step { k[j] == acquireExclusive && st[j] == 0 && TAKEMAY2 && a <= ag[j] -> \
   if \
   :: FREEAT(a) -> TAKETO(j,a) \
   :: else -> rs[j] = 0; st[j] = 3 \
   fi; \
   printf("take of %d by %d, clock %d old: %d\n", sid[j], who[j], a, rs[j]); \
   if :: st[j] == 3 && !al[j] -> freeslot(j) :: st[j] == 3 && al[j] -> ag[j] = 0 :: else -> skip fi; END }
#ifdef NEEDWHO
#define SETGW(j) gw = 1 + who[j]
#else
#define SETGW(j) skip
#endif

#ifdef PERMITS
#if defined(M_PERMITLIVE)
#define IN(v) (rr[v] > W + 1 -> 1 : 0)
#else
#define IN(v) (rr[v] > 0 -> 1 : 0)      /* those that have run out count until they are deleted */
#endif
#if K==3
#define COUNT (IN(1) + IN(2) + IN(3))
#elif K==4
#define COUNT (IN(1) + IN(2) + IN(3) + IN(4))
#elif K==5
#define COUNT (IN(1) + IN(2) + IN(3) + IN(4) + IN(5))
#else
#define COUNT (IN(1) + IN(2) + IN(3) + IN(4) + IN(5) + IN(6))
#endif
#define ROOM (COUNT < PERMITS)
#else
#define ROOM (1)
#endif
#ifdef M_EXPENTER
#define READFREE(a) (gi == 0 || gr + a <= W)
#else
#define READFREE(a) (gi == 0 && ROOM)
#endif
#ifdef M_NOMARK
#define MARKED (1)
#else
#define MARKED (gs)
#endif
#define O_READ(j,a) \
:: d_step { k[j] == acquireShared && st[j] == 0 && READMAY && a <= ag[j] -> \
   if \
   :: MARKED && READFREE(a) -> st[j] = 2; ua[j] = a; ag[j] = 0 \
   :: else -> if :: al[j] -> st[j] = 3; rs[j] = 0; ag[j] = 0 :: else -> freeslot(j) fi \
   fi; \
   printf("reader %d of %d carried out: st %d\n", sid[j], who[j], st[j]); END }
#define O_READC(j) \
:: d_step { k[j] == acquireShared && st[j] == 2 -> \
   rr[sid[j]] = 1 + W + TTL - ua[j]; ua[j] = 0; printf("reader %d committed\n", sid[j]); \
   if :: al[j] -> st[j] = 3; rs[j] = 1 :: else -> freeslot(j) fi; END }

#ifdef M_ANSFROM
#define COUNTED(i) bl[i] = TTL
#else
#define COUNTED(i) skip
#endif
#define O_TAKEN(j) \
:: d_step { (k[j] == acquireExclusive || k[j] == acquireShared) && st[j] == 3 -> w = who[j]; \
   COUNTED(w); \
   printf("answer to the attempt %d of %d: %d\n", sid[j], w, rs[j]); \
   if \
   :: rs[j] == 0 -> freeslot(j); leave(w) \
   :: rs[j] > 0 && bl[w] > 0 -> \
      if :: k[j] == acquireShared -> ph[w] = HELD; CHKR \
         :: k[j] == acquireExclusive && rs[j] == 1 -> ph[w] = HELD \
         :: else -> ph[w] = DRAINPH fi; freeslot(j) \
   :: else -> freeslot(j); release(w) \
   fi; CHK; END }
#ifdef M_NODRAIN
#define DRAINPH HELD
#else
#define DRAINPH DRAIN
#endif

#define O_GIVEUP(j) \
:: d_step { (k[j] == acquireExclusive || k[j] == acquireShared) && al[j] -> w = who[j]; \
   printf("%d gives up the attempt %d\n", w, sid[j]); \
   f = id[w]; y = md[w]; leave(w); background(abandonExclusive, w, f, y); END }

#ifdef M_ABDOWNER
#define ABDHIT(j) (gi != 0 && gw == 1 + who[j])
#else
#define ABDHIT(j) (gi == sid[j])
#endif
#ifdef M_RELANY
#define RELHIT(j) (gi != 0)
#elif defined(M_RELOWNER)
#define RELHIT(j) (gi != 0 && gw == 1 + who[j])
#else
#define RELHIT(j) (gi == sid[j])
#endif
#define O_ENDS(j) \
:: d_step { (k[j] == abandonExclusive || k[j] == releaseExclusive) && sm[j] && gi != 0 && TAKEMAY -> \
   if :: k[j] == abandonExclusive && ABDHIT(j) -> gi = 0; gr = 0; gw = 0 :: k[j] == releaseExclusive && RELHIT(j) -> gi = 0; gr = 0; gw = 0 :: else -> skip fi; \
   printf("end of %d by %d: gate has %d\n", sid[j], who[j], gi); END } \
:: d_step { (k[j] == abandonExclusive || k[j] == releaseExclusive) && !sm[j] && !LOCKEDROW(j) && rr[sid[j]] != 0 -> rr[sid[j]] = 0; END }
#if N==2
#define LOCKEDROW(j) ((hx[0] && !md[0] && id[0] == sid[j]) || (hx[1] && !md[1] && id[1] == sid[j]))
#else
#define LOCKEDROW(j) ((hx[0] && !md[0] && id[0] == sid[j]) || (hx[1] && !md[1] && id[1] == sid[j]) || (hx[2] && !md[2] && id[2] == sid[j]))
#endif

#define O_RELEASE(i) \
:: d_step { (ph[i] == HELD || ph[i] == DRAIN || ph[i] == SEEN) && tx[i] == 0 -> printf("%d releases %d\n", i, id[i]); release(i); END }

/* ---- renewing */
#ifdef M_RENEWFENCED
#define UNFENCED(i) (1)
#else
#define UNFENCED(i) (tx[i] < 2)
#endif
#define MAYRENEW(i) ((ph[i] == HELD || ph[i] == DRAIN || ph[i] == SEEN) && bl[i] > 0 && !rp[i] && UNFENCED(i) && FS)
#ifdef EXT /* an extension is a renewal with a longer ttl */
#define RTTL(j) sl[j]
#define O_RENEW(i) \
:: d_step { MAYRENEW(i) -> send(renew, i, id[i], md[i], 1); rp[i] = 1; sl[q] = TTL; rb[i] = TTL; END } \
:: d_step { MAYRENEW(i) -> send(renew, i, id[i], md[i], 1); rp[i] = 1; sl[q] = TTL + 1; rb[i] = TTL + 1; END }
#else
#define RTTL(j) TTL
#define O_RENEW(i) \
:: d_step { MAYRENEW(i) -> send(renew, i, id[i], md[i], 1); rp[i] = 1; rb[i] = TTL; END }
#endif
#ifdef M_RENEWANY
#define RENHIT(j) (gi != 0)
#else
#define RENHIT(j) (gi == sid[j])
#endif
#ifdef M_RENEWFOREVER /* the renewer goes on with a lease that its holder has given up */
#define RENEWEDLATE(j) skip
#else
#define RENEWEDLATE(j) freeslot(j)
#endif
#ifdef M_REVIVE
#define ALIVEV(v,a) (1)
#else
#define ALIVEV(v,a) (v + a > W)
#endif
#if defined(KEEP) && !defined(M_KEPTRENEWED)
#define KEPT gk
#else
#define KEPT 0
#endif
#ifdef M_SHORTEN
#define LONGER(v,w) (w)
#else
#define LONGER(v,w) (v > w -> v : w)
#endif
#define O_RENEWX(j,a) \
:: d_step { k[j] == renew && sm[j] && st[j] == 0 && TAKEMAY && a <= ag[j] -> \
   if :: RENHIT(j) && ALIVEV(gr, a) && !KEPT -> gr = LONGER(gr, (W + RTTL(j) - a)); rs[j] = 1 \
      :: RENHIT(j) && ALIVEV(gr, a) && KEPT -> rs[j] = 1 \
      :: else -> rs[j] = 0 fi; \
   printf("renewal of %d by %d, clock %d old: %d\n", sid[j], who[j], a, rs[j]); \
   if :: al[j] -> st[j] = 3; ag[j] = 0 :: else -> RENEWEDLATE(j) fi; END } \
:: d_step { k[j] == renew && !sm[j] && st[j] == 0 && !LOCKEDROW(j) && a <= ag[j] -> \
   if :: rr[sid[j]] > 0 && ALIVEV((rr[sid[j]] - 1), a) -> \
         rr[sid[j]] = 1 + LONGER((rr[sid[j]] - 1), (W + RTTL(j) - a)); rs[j] = 1 \
      :: else -> rs[j] = 0 fi; \
   if :: al[j] -> st[j] = 3; ag[j] = 0 :: else -> freeslot(j) fi; END }
#ifdef M_LATERENEWAL
#define INTIME(x) (1)
#else
#define INTIME(x) (bl[x] > 0)
#endif
#ifdef M_RENEWFROMANSWER
#define RENEWEDTO(x) TTL
#else
#define RENEWEDTO(x) (bl[x] > rb[x] -> bl[x] : rb[x])
#endif
#define O_RENEWED(j) \
:: d_step { k[j] == renew && st[j] == 3 -> w = who[j]; \
   printf("answer to the renewal of %d of %d: %d, belief %d, would be %d\n", sid[j], w, rs[j], bl[w], rb[w]); \
   if :: rs[j] == 1 && INTIME(w) -> bl[w] = RENEWEDTO(w) :: rs[j] == 1 && !INTIME(w) -> skip :: else -> bl[w] = 0 fi; \
   rp[w] = 0; rb[w] = 0; freeslot(j); CHK; END }
/* A batch that did not renew all is asked which leases still last: a plain read, after the update. */
#define O_LOOK(j) \
:: d_step { k[j] == renew && st[j] == 3 && al[j] -> \
   if :: sm[j] -> rs[j] = (gi == sid[j] && gr > W -> 1 : 0) :: else -> rs[j] = (rr[sid[j]] > W + 1 -> 1 : 0) fi; END }
#define O_NORENEWAL(j) \
:: d_step { k[j] == renew && al[j] -> w = who[j]; rp[w] = 0; rb[w] = 0; dead(j); END }

/* ---- draining: a plain read */
#if K==3
#define NOROWS (rr[1] == 0 && rr[2] == 0 && rr[3] == 0)
#define NOLIVE (rr[1] <= W + 1 && rr[2] <= W + 1 && rr[3] <= W + 1)
#define EACHK(S) S(1) S(2) S(3)
#elif K==4
#define NOROWS (rr[1] == 0 && rr[2] == 0 && rr[3] == 0 && rr[4] == 0)
#define NOLIVE (rr[1] <= W + 1 && rr[2] <= W + 1 && rr[3] <= W + 1 && rr[4] <= W + 1)
#define EACHK(S) S(1) S(2) S(3) S(4)
#elif K==5
#define NOROWS (rr[1] == 0 && rr[2] == 0 && rr[3] == 0 && rr[4] == 0 && rr[5] == 0)
#define NOLIVE (rr[1] <= W + 1 && rr[2] <= W + 1 && rr[3] <= W + 1 && rr[4] <= W + 1 && rr[5] <= W + 1)
#define EACHK(S) S(1) S(2) S(3) S(4) S(5)
#else
#define NOROWS (rr[1] == 0 && rr[2] == 0 && rr[3] == 0 && rr[4] == 0 && rr[5] == 0 && rr[6] == 0)
#define NOLIVE (rr[1] <= W + 1 && rr[2] <= W + 1 && rr[3] <= W + 1 && rr[4] <= W + 1 && rr[5] <= W + 1 && rr[6] <= W + 1)
#define EACHK(S) S(1) S(2) S(3) S(4) S(5) S(6)
#endif
#ifdef M_LIVEONLY
#define DRAINEDOK NOLIVE
#else
#define DRAINEDOK NOROWS
#endif
#ifdef M_DRAINLATE
#define DRAININ(i) (1)
#else
#define DRAININ(i) (bl[i] > 0)
#endif
#define O_DRAINED(i) \
:: d_step { ph[i] == DRAIN && DRAINEDOK && SAMETOKEN(i) -> ph[i] = SEEN; printf("%d sees no reader\n", i); END } \
:: d_step { ph[i] == SEEN && DRAININ(i) -> ph[i] = HELD; printf("%d has drained\n", i); CHK; END } \
:: d_step { ph[i] == SEEN -> ph[i] = DRAIN; END }
/* The token stays in the row of a lease that was released or ended: only a later lease shows in it. */
#define SAMETOKEN(i) (gi == id[i] || gi == 0)

/* ---- what any reader, writer or clean-up does to what has expired: mark, end, delete */
#define O_ENV \
:: d_step { gs == 0 && GATEFREE && MARKS -> gs = 1; END } \
:: d_step { gi != 0 && gr <= W && TAKEMAY -> printf("end of the expired %d\n", gi); gi = 0; gr = 0; gw = 0; END }
#ifdef FORCE
#define O_FORCE :: d_step { !forced && gi != 0 && TAKEMAY -> forced = 1; printf("an operator ends %d\n", gi); gi = 0; gr = 0; gw = 0; END }
#else
#define O_FORCE
#endif
#ifdef M_DELLIVE
#define EXPIREDROW(v) (v > 0)
#else
#define EXPIREDROW(v) (v > 0 && v <= W + 1)
#endif
#ifdef M_DELLOCKED
#define ROWFREE(v) (1)
#else
#define ROWFREE(v) (!LOCKEDID(v))
#endif
#if N==2
#define LOCKEDID(v) ((hx[0] && !md[0] && id[0] == v) || (hx[1] && !md[1] && id[1] == v))
#else
#define LOCKEDID(v) ((hx[0] && !md[0] && id[0] == v) || (hx[1] && !md[1] && id[1] == v) || (hx[2] && !md[2] && id[2] == v))
#endif
#define O_DEL(v) \
:: d_step { EXPIREDROW(rr[v]) && ROWFREE(v) -> printf("reader %d deleted\n", v); rr[v] = 0; END }

/* ---- the business transaction and its fence */
#define O_BEGIN(i) \
:: d_step { ph[i] == HELD && tx[i] == 0 -> tx[i] = 1; dirty[i] = 0; printf("%d begins and reads\n", i); END }
#ifdef M_NOCLOCKBEFORE
#define CLOCKBEFORE(i) (1)
#else
#define CLOCKBEFORE(i) (bl[i] > 0)
#endif
#ifdef M_NOFENCE
#define O_FENCE(i) \
:: d_step { ph[i] == HELD && tx[i] == 1 && bl[i] > 0 -> tx[i] = 3; END }
#else
#define O_FENCE(i) \
:: d_step { ph[i] == HELD && tx[i] == 1 && CLOCKBEFORE(i) && FS -> tx[i] = 2; fa[i] = 0; send(fence, i, id[i], md[i], 1); END }
#endif
#ifdef M_FENCENOLOCK
#define HOLD(x) skip
#else
#define HOLD(x) hx[x] = 1
#endif
#ifdef M_FENCENOEXPIRY
#define LASTS(v,a) (1)
#else
#define LASTS(v,a) (v + a > W)
#endif
#define O_FENCEX(j,a) \
:: d_step { k[j] == fence && sm[j] && st[j] == 0 && TAKEMAY && a <= ag[j] -> w = who[j]; \
   if :: gi == sid[j] && LASTS(gr, a) -> rs[j] = 1 + (gr + a > W -> gr + a - W : 0); HOLD(w) :: else -> rs[j] = 0 fi; st[j] = 3; ag[j] = 0; \
   printf("fence of %d by %d, clock %d old: %d\n", sid[j], w, a, rs[j]); END } \
:: d_step { k[j] == fence && !sm[j] && st[j] == 0 && a <= ag[j] -> w = who[j]; \
   if :: rr[sid[j]] > 0 && LASTS((rr[sid[j]] - 1), a) -> rs[j] = 1 + (rr[sid[j]] - 1 + a > W -> rr[sid[j]] - 1 + a - W : 0); HOLD(w) :: else -> rs[j] = 0 fi; st[j] = 3; ag[j] = 0; END }
#ifdef M_NOREMAINING
#define REMAINS(j,x) (1)
#else
#define REMAINS(j,x) (rs[j] - 1 > fa[x])
#endif
#ifdef M_NOCLOCKAFTER
#define CLOCKAFTER(x) (1)
#else
#define CLOCKAFTER(x) (bl[x] > 0)
#endif
#define O_FENCED(j) \
:: d_step { k[j] == fence && st[j] == 3 -> w = who[j]; \
   if :: rs[j] > 0 && REMAINS(j,w) && CLOCKAFTER(w) -> tx[w] = 3 :: else -> tx[w] = 0; hx[w] = 0; dirty[w] = 0 fi; \
   fa[w] = 0; freeslot(j); printf("check of %d: %d\n", w, tx[w]); END }
#define SPOIL(i,o) if :: i != o && tx[o] > 0 -> dirty[o] = 1 :: else -> skip fi;
#if N==2
#define SPOILALL(i) SPOIL(i,0) SPOIL(i,1)
#else
#define SPOILALL(i) SPOIL(i,0) SPOIL(i,1) SPOIL(i,2)
#endif
#define O_COMMIT(i) \
:: d_step { tx[i] == 3 -> printf("%d commits\n", i); assert(!dirty[i]); /* what it read is still so */ \
   if :: WRITES(i) -> SPOILALL(i) skip :: else -> skip fi; \
   tx[i] = 0; hx[i] = 0; dirty[i] = 0; fa[i] = 0; if :: ph[i] == CRASHED -> id[i] = 0; md[i] = 0 :: else -> skip fi; END } \
:: d_step { tx[i] > 0 -> tx[i] = 0; hx[i] = 0; dirty[i] = 0; fa[i] = 0; \
   x = 0; do :: x < M -> if :: k[x] == fence && who[x] == i -> freeslot(x) :: else -> skip fi; x++ :: else -> break od; \
   if :: ph[i] == CRASHED -> id[i] = 0; md[i] = 0 :: else -> skip fi; END }

/* ---- the downgrade */
#ifdef DG
#define O_DOWN(i) \
:: d_step { ph[i] == HELD && md[i] && tx[i] == 0 && bl[i] > 0 && !rp[i] && FS -> fresh(); \
   if :: f == 0 -> skip :: else -> send(reopenForReaders, i, id[i], 1, 1); s2[q] = f; i2[i] = f; ph[i] = DOWNING; rb[i] = TTL fi; END } \
:: d_step { ph[i] == DOWNING && !AWAITED(i) && bl[i] > 0 && FS -> fresh(); AGAIN(i) END } \
:: d_step { ph[i] == DOWNING && !AWAITED(i) -> DGIVEUP(i) END }
#if M==2
#define AWAITED(i) ((k[0] == reopenForReaders && al[0] && who[0] == i) || (k[1] == reopenForReaders && al[1] && who[1] == i))
#elif M==3
#define AWAITED(i) ((k[0] == reopenForReaders && al[0] && who[0] == i) || (k[1] == reopenForReaders && al[1] && who[1] == i) || (k[2] == reopenForReaders && al[2] && who[2] == i))
#else
#define AWAITED(i) ((k[0] == reopenForReaders && al[0] && who[0] == i) || (k[1] == reopenForReaders && al[1] && who[1] == i) || (k[2] == reopenForReaders && al[2] && who[2] == i) || (k[3] == reopenForReaders && al[3] && who[3] == i))
#endif
#ifdef M_DOWNNEWNONCE
#define AGAIN(i) if :: f == 0 -> skip :: else -> send(reopenForReaders, i, id[i], 1, 1); s2[q] = f; i2[i] = f fi;
#else
#define AGAIN(i) send(reopenForReaders, i, id[i], 1, 1); s2[q] = i2[i];
#endif
#ifdef M_DOWNUNCHANGED
#define DGIVEUP(i) i2[i] = 0; ph[i] = HELD; rb[i] = 0; printf("%d goes on as a writer\n", i); CHK;
#else
#define DGIVEUP(i) z = i2[i]; release(i); background(abandonExclusive, i, z, 0);
#endif
#ifdef M_DOWNTWOTX
#define DOWNEXEC(j,a) gi = 0; gr = 0; gs = 1; st[j] = 2; ua[j] = a; ag[j] = 0
#define DNLOCK(j) (0)
#else
#define DOWNEXEC(j,a) st[j] = 2; ua[j] = a; ag[j] = 0
#endif
#define O_DOWNX(j,a) \
:: d_step { k[j] == reopenForReaders && st[j] == 0 && TAKEMAY && a <= ag[j] -> \
   if \
   :: gi == sid[j] && gr + a > W -> DOWNEXEC(j,a) \
   :: else -> rs[j] = (rr[s2[j]] > W + 1 -> 1 : 0); st[j] = 3; ag[j] = 0 \
   fi; printf("downgrade of %d to %d: st %d\n", sid[j], s2[j], st[j]); END }
#define O_DOWNC(j) \
:: d_step { k[j] == reopenForReaders && st[j] == 2 -> if :: gi == sid[j] -> gi = 0; gr = 0; gw = 0 :: else -> skip fi; gs = 1; \
   rr[s2[j]] = 1 + W + TTL - ua[j]; ua[j] = 0; rs[j] = 1; printf("downgrade to %d committed\n", s2[j]); \
   if :: al[j] -> st[j] = 3; ag[j] = 0 :: else -> freeslot(j) fi; END } \
:: d_step { k[j] == reopenForReaders && st[j] == 2 && !al[j] -> freeslot(j); END }
#define O_DOWNED(j) \
:: d_step { k[j] == reopenForReaders && st[j] == 3 -> w = who[j]; \
   printf("answer to the downgrade of %d: %d\n", w, rs[j]); \
   if \
   :: rs[j] == 1 && bl[w] > 0 -> md[w] = 0; id[w] = i2[w]; bl[w] = rb[w]; rb[w] = 0; i2[w] = 0; ph[w] = HELD; freeslot(j) \
   :: rs[j] == 1 && bl[w] == 0 -> f = i2[w]; freeslot(j); leave(w); background(abandonExclusive, w, f, 0) \
   :: else -> freeslot(j); leave(w) \
   fi; CHK; END } \
:: d_step { k[j] == reopenForReaders && al[j] -> dead(j); END }
#endif

/* ---- the end at a minimum: the holder relies on the lease no more, which lasts for KEEP ticks from then */
#ifdef KEEP
#define O_KEEP(i) \
:: d_step { ph[i] == HELD && md[i] && tx[i] == 0 -> printf("%d ends %d for later\n", i, id[i]); f = id[i]; leave(i); background(endLater, i, f, 1); END }
#ifdef M_KEPTAGAIN
#define UNKEPT (1)
#else
#define UNKEPT (!gk)
#endif
#define O_KEEPX(j,a) \
:: d_step { k[j] == endLater && TAKEMAY && a <= ag[j] && gi == sid[j] && gr + a > W && UNKEPT -> gr = W + KEEP - a; gk = 1; \
   printf("%d is kept\n", gi); END }
#endif

/* ---- faults and time */
#define O_CRASH(i) \
:: d_step { crashes < CRASHES && ph[i] != CRASHED -> crashes++; printf("%d crashes\n", i); y = id[i]; z = md[i]; leave(i); ph[i] = CRASHED; \
   fa[i] = 0; \
   if :: tx[i] == 3 -> id[i] = y; md[i] = z :: else -> tx[i] = 0; hx[i] = 0; dirty[i] = 0 fi; END }
#define O_DROP(j) \
:: d_step { k[j] != 0 && !al[j] && st[j] == 0 -> freeslot(j); END }

#define UNC(j) (st[j] == 2 && ua[j] >= W)
#define DATED(x) (k[x] != releaseExclusive && k[x] != abandonExclusive)  /* their effect does not depend on the clock */
inline tick() {
#ifndef M_NOEXPIRY
  if :: gi != 0 && gr > 0 -> gr-- :: else -> skip fi;
#endif
#ifdef FORCE
  if :: PAIRBAD -> pb++ :: else -> pb = 0 fi;
  assert(pb <= TTL);    /* who was forced out knows it after a ttl at the latest */
#endif
#ifdef ORPHAN
  if :: gi != 0 && !ANYN(OWNS) -> orph++ :: else -> orph = 0 fi;
  assert(gi == 0 || gr <= W || orph <= (M + 1) * TTL);  /* what nobody relies on can be taken soon, whatever comes late */
#endif
#ifdef KEEP
  if :: gi != 0 && gk -> kp++ :: else -> kp = 0 fi;
  assert(gi == 0 || gr <= W || kp < KEEP);              /* nothing makes the minimum longer */
#endif
  x = 1;
  do :: x <= K -> if :: rr[x] > 1 -> rr[x]-- :: else -> skip fi; x++ :: else -> break od;
  x = 0;
  do :: x < N ->
        if :: bl[x] > 0 -> bl[x]-- :: else -> skip fi;
        if :: rb[x] > 0 -> rb[x]-- :: else -> skip fi;
        if :: tx[x] == 2 && fa[x] <= TTL -> fa[x]++ :: else -> skip fi;
        x++
     :: else -> break od;
  x = 0;
  do :: x < M ->
        if :: st[x] == 2 -> ua[x]++ :: else -> skip fi;
        if :: k[x] != 0 && st[x] == 0 && ag[x] < W && DATED(x) -> ag[x]++ :: else -> skip fi;
        x++
     :: else -> break od }

c_decl { extern void canon(void); }
/* Symmetric states are one: leases are numbered as they are first referred to, statements are sorted. Changes no behaviour. */
c_code {
static unsigned char canon_map[K + 1];
static int canon_next;
static void canon_label(int v) { if (v && !canon_map[v]) canon_map[v] = canon_next++; }
static void canon_swap(int a, int b) {
  unsigned char t;
  t = now.k[a]; now.k[a] = now.k[b]; now.k[b] = t;
  t = now.who[a]; now.who[a] = now.who[b]; now.who[b] = t;
  t = now.sid[a]; now.sid[a] = now.sid[b]; now.sid[b] = t;
  t = now.sm[a]; now.sm[a] = now.sm[b]; now.sm[b] = t;
  t = now.al[a]; now.al[a] = now.al[b]; now.al[b] = t;
  t = now.st[a]; now.st[a] = now.st[b]; now.st[b] = t;
  t = now.rs[a]; now.rs[a] = now.rs[b]; now.rs[b] = t;
  t = now.ua[a]; now.ua[a] = now.ua[b]; now.ua[b] = t;
  t = now.ag[a]; now.ag[a] = now.ag[b]; now.ag[b] = t;
#ifdef DG
  t = now.s2[a]; now.s2[a] = now.s2[b]; now.s2[b] = t;
#endif
#ifdef EXT
  t = now.sl[a]; now.sl[a] = now.sl[b]; now.sl[b] = t;
#endif
}
static unsigned long canon_key(int j) {
  unsigned long v = now.k[j];
  if (!v) return 0;
  v = v * 4 + now.who[j]; v = v * 2 + now.sm[j]; v = v * 2 + now.al[j]; v = v * 4 + now.st[j]; v = v * 16 + now.rs[j];
  v = v * 8 + now.ua[j]; v = v * 8 + now.ag[j];
#ifdef EXT
  v = v * 8 + now.sl[j];
#endif
  v = v * 16 + canon_map[now.sid[j]];
#ifdef DG
  v = v * 16 + canon_map[now.s2[j]];
#endif
  return v;
}
static void canon1(void) {
  int i, j;
  unsigned char rows[K + 1];
  unsigned long keys[M];
  for (i = 0; i <= K; i++) canon_map[i] = 0;
  canon_next = 1;
  canon_label(now.gi);
  for (i = 0; i < N; i++) {
    canon_label(now.id[i]);
#ifdef DG
    canon_label(now.i2[i]);
#endif
  }
  for (i = 0; i < M; i++) keys[i] = canon_key(i);
  for (i = 1; i < M; i++)
    for (j = i; j > 0 && keys[j] > keys[j - 1]; j--) {
      unsigned long t = keys[j]; keys[j] = keys[j - 1]; keys[j - 1] = t;
      canon_swap(j, j - 1);
    }
  for (i = 0; i < M; i++) {
    canon_label(now.sid[i]);
#ifdef DG
    canon_label(now.s2[i]);
#endif
  }
  for (;;) {
    int best = 0;
    for (i = 1; i <= K; i++) if (now.rr[i] && !canon_map[i] && (!best || now.rr[i] > now.rr[best])) best = i;
    if (!best) break;
    canon_label(best);
  }
  for (i = 1; i <= K; i++) canon_label(i);
  for (i = 1; i <= K; i++) rows[canon_map[i]] = now.rr[i];
  for (i = 1; i <= K; i++) now.rr[i] = rows[i];
  now.gi = canon_map[now.gi];
  for (i = 0; i < N; i++) {
    now.id[i] = canon_map[now.id[i]];
#ifdef DG
    now.i2[i] = canon_map[now.i2[i]];
#endif
  }
  for (i = 0; i < M; i++) {
    now.sid[i] = canon_map[now.sid[i]];
#ifdef DG
    now.s2[i] = canon_map[now.s2[i]];
#endif
  }
}
#ifdef SYM
static void canon_nodes(int a, int b) {
  unsigned char t; int j;
  t = now.ph[a]; now.ph[a] = now.ph[b]; now.ph[b] = t;
  t = now.md[a]; now.md[a] = now.md[b]; now.md[b] = t;
  t = now.id[a]; now.id[a] = now.id[b]; now.id[b] = t;
  t = now.bl[a]; now.bl[a] = now.bl[b]; now.bl[b] = t;
  t = now.rp[a]; now.rp[a] = now.rp[b]; now.rp[b] = t;
  t = now.rb[a]; now.rb[a] = now.rb[b]; now.rb[b] = t;
  t = now.tx[a]; now.tx[a] = now.tx[b]; now.tx[b] = t;
  t = now.hx[a]; now.hx[a] = now.hx[b]; now.hx[b] = t;
  t = now.fa[a]; now.fa[a] = now.fa[b]; now.fa[b] = t;
  t = now.dirty[a]; now.dirty[a] = now.dirty[b]; now.dirty[b] = t;
#ifdef DG
  t = now.i2[a]; now.i2[a] = now.i2[b]; now.i2[b] = t;
#endif
  for (j = 0; j < M; j++) if (now.k[j] && (now.al[j] || KEEPSWHO)) { if (now.who[j] == a) now.who[j] = b; else if (now.who[j] == b) now.who[j] = a; }
  if (now.gw == a + 1) now.gw = b + 1; else if (now.gw == b + 1) now.gw = a + 1;
}
static State canon_best;
static void canon_try(void) { canon1(); if (memcmp((void *) &now, (void *) &canon_best, sizeof(State)) < 0) canon_best = now; }
void canon(void) {
  canon1(); canon_best = now;
  canon_nodes(0, 1); canon_try();
#if N==3
  canon_nodes(0, 2); canon_try(); canon_nodes(0, 1); canon_try(); canon_nodes(0, 2); canon_try(); canon_nodes(0, 1); canon_try();
#endif
  now = canon_best;
}
#else
void canon(void) { canon1(); }
#endif
}
#ifdef NOCANON
#define END f = 0; q = 0; x = 0; y = 0; z = 0; w = 0
#else
#define END f = 0; q = 0; x = 0; y = 0; z = 0; w = 0; c_code { canon(); }
#endif

#ifdef CLK
#define O_CLK \
:: d_step { clk < 2 -> clk++; printf("the server's clock is set forward\n"); if :: gi != 0 && gr > 0 -> gr-- :: else -> skip fi; \
   x = 1; do :: x <= K -> if :: rr[x] > 1 -> rr[x]-- :: else -> skip fi; x++ :: else -> break od; END } \
:: d_step { clk < 2 && NOUNC -> clk++; printf("the server's clock is set back\n"); if :: gi != 0 && gr < W + TTL + 2 -> gr++ :: else -> skip fi; \
   x = 1; do :: x <= K -> if :: rr[x] > 0 && rr[x] < W + TTL + 3 -> rr[x]++ :: else -> skip fi; x++ :: else -> break od; END }
#define UNCOMM(j) (st[j] == 2)
#define NOUNC !ANYM(UNCOMM)
byte clk;
#else
#define O_CLK
#endif

active proctype World() {
  do
  EACHN(O_ASKX) EACHN(O_ASKS)
#define OJ(j) EACHA(O_TAKE,j) EACHA(O_READ,j) O_READC(j) O_TAKEC(j) EACHA(O_RENEWX,j) O_ENDS(j) O_DROP(j)
  EACHM(OJ)
  EACHM(O_TAKEN) EACHM(O_GIVEUP) EACHM(O_RENEWED) EACHM(O_NORENEWAL)
#ifdef LOOK
  EACHM(O_LOOK)
#endif
 
  EACHN(O_RELEASE) EACHN(O_DRAINED)
#ifndef NOREN
  EACHN(O_RENEW)
#endif
#ifndef NOTX
  EACHN(O_BEGIN) EACHN(O_FENCE) EACHN(O_COMMIT)
  EACHM(O_FENCED)
#define OF(j) EACHA(O_FENCEX,j)
  EACHM(OF)
#endif
  EACHN(O_CRASH)
  O_ENV O_FORCE
  EACHK(O_DEL)
#ifdef DG
  EACHN(O_DOWN) EACHM(O_DOWNC) EACHM(O_DOWNED)
#define OD(j) EACHA(O_DOWNX,j)
  EACHM(OD)
#endif
#ifdef KEEP
  EACHN(O_KEEP)
#define OE(j) EACHA(O_KEEPX,j)
  EACHM(OE)
#endif
  O_CLK
  :: d_step { !ANYM(UNC) -> printf("tick\n"); tick(); END }
  od
}
