/* Strategy `redis` of Rowlock: one key on one Redis server, processes that take, queue, renew, release and downgrade.
 *
 * The scripts (acquire, release, leave, renew, downgrade, drained, and `advance` of the prelude) are C functions that follow
 * the Lua line by line, but for the usual cases, which acquire and release do earlier with the same effect. Each runs at once and reads the server's clock when it runs. Time is relative: what is stored is what
 * is left, in ticks. A command may run late or never, its sender may give up, its answer may be lost, and it may run twice
 * (a driver that sends it again after a reconnection). There is no `not after` time here: a late attempt or downgrade may run
 * at any time, which is more than the code allows. Messages may be lost, and may be delivered late.
 *
 * One process; each option of the loop is one atomic step. Mutants: -DM_... ; ./pan -r shows a counterexample in words.
 *
 * Statements, named as in the code:
 *   redis: acquire release leave renew downgrade drained head prelude queue
 */
#ifndef N
#define N 2             /* processes, one thread each */
#endif
#ifndef M
#define M 2             /* commands on their way at a time */
#endif
#ifndef K
#define K 4             /* attempts (nonces) that anything refers to at a time */
#endif
#ifndef T
#define T 7             /* tokens of exclusive leases that anything refers to at a time */
#endif
#ifndef TTL
#define TTL 2
#endif
#ifndef PROM
#define PROM 1          /* promise: for how long a lease is granted to a waiter that does not ask */
#endif
#ifndef ALIVE
#define ALIVE 2         /* for how long a place in the queue counts */
#endif
#ifndef XM
#define XM 0            /* which processes write, read, and ask for permits, as bits */
#endif
#ifndef SM
#define SM 0
#endif
#ifndef PM
#define PM 3
#endif
#ifndef LIM
#define LIM 1           /* how many permits there may be */
#endif
#ifdef LIMS
#define MAYLIM(l) (l <= LIM)    /* each attempt asks for 1..LIM */
#else
#define MAYLIM(l) (l == LIM)
#endif
#define MAYX(i) ((XM >> i) & 1)
#define MAYS(i) ((SM >> i) & 1)
#define MAYP(i) ((PM >> i) & 1)

#define X 1
#define S 2
#define P 3

#define IDLE 0
#define ASK 1           /* an attempt is awaited */
#define WAIT 2          /* queued, between two questions */
#define DRAIN 3         /* has the gate, waits for the readers inside */
#define HELD 4
#define DOWNING 5
#define DEAD 6

#define ACQ 1
#define RENEW 2
#define REL 3
#define LEAVE 4
#define DOWN 5
#define DRN 6
#define KEPT 7

#if N==2
#define EACHN(A) A(0) A(1)
#else
#define EACHN(A) A(0) A(1) A(2)
#endif
#if M==1
#define EACHM(A) A(0)
#define FS (k[0]==0)
#elif M==2
#define EACHM(A) A(0) A(1)
#define FS (k[0]==0 || k[1]==0)
#else
#define EACHM(A) A(0) A(1) A(2)
#define FS (k[0]==0 || k[1]==0 || k[2]==0)
#endif

/* ---- the server */
bit gx;                 /* the exclusive lease is not released (u > 0) */
byte gn; byte gf; byte gu;      /* its nonce, its token, what is left of it (0: run out) */
#ifdef KEEP
bit gk; byte kp;        /* field b of the gate: it is only kept for its minimum; ghost: for how many ticks */
#endif
byte rr[K+1];           /* entry of a reader or permit by nonce: 0 absent, else 1 + what is left */
byte nm[K+1];           /* mode of an attempt */
byte lm[K+1];           /* how many permits it allows */
byte qq[K+1]; byte ql;  /* the queue, first come first */
byte wa[K+1];           /* waiters: 0 absent, else 1 + for how long the place still counts */
bit wf;                 /* field w of the gate: the queue may not be empty */

/* ---- the processes */
byte ph[N]; byte md[N]; byte nn[N]; byte tk[N];
byte bl[N];             /* how long it still believes in its lease */
byte bw[N];             /* what the awaited answer would make of that */
byte aa[N];             /* ticks since the last question was sent that found the key taken, PROM at most */
bit rp[N];              /* a renewal is awaited */
bit mg[N]; byte mt[N]; bit mx[N];       /* a message for it: token, readers inside */
byte n2[N];             /* nonce of the reader of a downgrade under way */
byte crashes;

/* ---- commands on their way */
byte k[M]; byte who[M]; byte sn[M]; byte sk[M]; bit al[M]; bit st[M]; byte rs[M]; byte rt[M]; byte s2[M]; bit qu[M];
/* al: the sender waits; st: answered; rs: 0 busy or no, 1 yes, 2 yes with readers inside; rt: token; qu: queues */
byte f, q, z, gtok, aux; bit bad, small;      /* of one step only; small: T is too small */

c_code {
#ifdef KEEP
#ifdef M_KEPTTAKEN
#define INUSE 1
#else
#define INUSE (!now.gk)
#endif
#ifdef M_KEPTRENEWED
#define INUSERENEWED 1
#else
#define INUSERENEWED (!now.gk)
#endif
#else
#define INUSE 1
#define INUSERENEWED 1
#endif
static int dead, closed, w, given;

static int usedNonce(int v) {
  int i;
  if (now.gn == v || now.rr[v] || now.wa[v]) return 1;
  for (i = 0; i < now.ql; i++) if (now.qq[i] == v) return 1;
  for (i = 0; i < N; i++) if (now.nn[i] == v || now.n2[i] == v) return 1;
  for (i = 0; i < M; i++) if (now.k[i] && (now.sn[i] == v || now.s2[i] == v)) return 1;
  return 0;
}
static int usedToken(int v) {
  int i;
  if (now.gf == v) return 1;
  for (i = 0; i < N; i++) if (now.tk[i] == v || (now.mg[i] && now.mt[i] == v)) return 1;
  for (i = 0; i < M; i++) if (now.k[i] && (now.sk[i] == v || now.rt[i] == v)) return 1;
  return 0;
}
static int freshNonce(void) { int v; for (v = 1; v <= K; v++) if (!usedNonce(v)) return v; return 0; }
static int freshToken(void) { int v; for (v = 1; v <= T; v++) if (!usedToken(v)) return v; return 0; }

static void load(void) { w = now.wf; dead = 0; closed = 0; given = 0; }
static int inside(void) { int v; for (v = 1; v <= K; v++) if (now.rr[v]) return 1; return 0; }

static void grant(int nonce, int ttl) {
  int t = freshToken();
  if (!t) { now.small = 1; t = T; }
  now.gf = t; now.gn = nonce; now.gu = ttl; now.gx = 1;
#ifdef KEEP
  now.gk = 0; now.kp = 0;
#endif
}
static void enterReader(int nonce, int ttl) { /* read() */
  if (now.gx && now.gu == 0) { now.gx = 0; now.gn = 0; }
#ifndef AHEAD /* else the last token is ahead of the clock */
  if (!now.gx && !inside()) now.gf = 0; /* no writer's token */
#endif
  now.rr[nonce] = 1 + ttl;
}
static int room(int most) {
  int v, count = 0;
  dead = 0;
  for (v = 1; v <= K; v++)
    if (now.rr[v] && now.nm[v] == P) {
      if (now.rr[v] > 1) { count++; if (now.lm[v] < most) most = now.lm[v]; }
      else dead = v;
    }
#ifdef M_NOLIMIT1
  return count < most + 1;
#else
  return count < most;
#endif
}
static void permit(int nonce, int ttl) {
  int former = now.gx && now.gu == 0;
  enterReader(nonce, ttl);
  if (dead && !former
#ifndef M_OWNDEAD /* else an attempt whose own promise ran out removes the entry that it has just made */
      && dead != nonce
#endif
     ) now.rr[dead] = 0;
}
static void publish(int nonce, int token, int readers) {
  int i;
  for (i = 0; i < N; i++)
    if (now.nn[i] == nonce && (now.ph[i] == ASK || now.ph[i] == WAIT)) { now.mg[i] = 1; now.mt[i] = token; now.mx[i] = readers; }
}
static void advance(int asking) {
  int back[K + 1], nb = 0, i;
  while (now.gu == 0 && w && !closed) {
    int first, live, stays = 0;
    if (now.ql == 0) {
      w = 0;
#ifdef M_FLAG
      now.wf = 0;
#else
      if (nb == 0) now.wf = 0;
#endif
      break;
    }
    first = now.qq[0];
    for (i = 1; i < now.ql; i++) now.qq[i - 1] = now.qq[i];
    now.ql--; now.qq[now.ql] = 0;
    live = now.wa[first] > 1;
    closed = live && now.nm[first] == X && nb > 0;
    if (live && (closed || (now.nm[first] == P && (nb > 0 || !room(now.lm[first]))))) { back[nb++] = first; stays = 1; }
    else now.wa[first] = 0;
    if (live && !stays) {
      int token = 0, readers = 0;
      if (now.nm[first] == X) { grant(first, PROM); token = now.gf; readers = inside(); }
      else if (now.nm[first] == P) permit(first, PROM);
      else enterReader(first, PROM);
      if (first != asking) publish(first, token, readers);
    }
  }
  if (nb > 0) {
    w = 1;
    for (i = now.ql - 1; i >= 0; i--) now.qq[i + nb] = now.qq[i];
    for (i = 0; i < nb; i++) now.qq[i] = back[i];
    now.ql += nb;
  }
}
static void ended(void) { /* free() */
  now.gu = 0; now.gx = 0; now.gn = 0;
#ifndef M_NOADVANCE
  advance(0);
#endif
}
static void leaveReaders(int nonce) { now.rr[nonce] = 0;
#ifndef M_NOADVANCE
  advance(0);
#endif
}
static int win, wtoken;
static int mine(int nonce) {
  if (now.nm[nonce] == X) {
    if (now.gn != nonce || now.gu == 0) return 0;
    if (INUSE && now.gu < TTL) now.gu = TTL;
    win = 1 + inside(); wtoken = now.gf; return 1;
  }
  if (now.rr[nonce] <= 1) return 0;
  if (now.rr[nonce] < 1 + TTL) now.rr[nonce] = 1 + TTL;
  win = 1; wtoken = 0; return 1;
}
static int enter(int nonce) {
  if (now.nm[nonce] == X && !w) { grant(nonce, TTL); win = 1 + inside(); wtoken = now.gf; return 1; }
  if (now.nm[nonce] == P && !w && room(now.lm[nonce])) { permit(nonce, TTL); win = 1; wtoken = 0; return 1; }
  if (now.nm[nonce] == S && !closed) { enterReader(nonce, TTL); win = 1; wtoken = 0; return 1; }
  return 0;
}
static void acquire(int j) {
  int nonce = now.sn[j], won, i, there = 0;
  load(); win = 0; wtoken = 0;
#ifdef M_USUALTAKE /* without a look whether the key is free */
  won = now.nm[nonce] == X && !w && !inside();
#else
  won = now.nm[nonce] == X && !now.gx && !w && !inside(); /* the usual case */
#endif
  if (won) { grant(nonce, TTL); win = 1; wtoken = now.gf; }
  if (!won) won = mine(nonce);
  if (!won && now.gu == 0 && w) { advance(nonce); won = mine(nonce); }
  if (!won && now.gu == 0) won = enter(nonce);
  if (!won && now.qu[j]) {
    now.wf = 1;
    for (i = 0; i < now.ql; i++) there |= now.qq[i] == nonce;
    if (!there) now.qq[now.ql++] = nonce;
    now.wa[nonce] = 1 + ALIVE;
  }
  now.rs[j] = won ? win : 0; now.rt[j] = won ? wtoken : 0;
  if (!won && now.al[j]) /* messages from before this answer do not count */
    for (i = 0; i < N; i++)
      if (now.nn[i] == nonce) {
#ifndef M_STALEMSG
        now.mg[i] = 0; now.mt[i] = 0; now.mx[i] = 0;
#endif
      }
}
static int handedOn(void) { /* after a release: no waiter is left that could have the key */
  int i;
  for (i = 0; i < now.ql; i++) {
    int v = now.qq[i];
    if (now.wa[v] <= 1) continue;
    if (now.gu > 0) return 1;
    return now.nm[v] == P && !room(now.lm[v]);
  }
  return 1;
}
static void release(int j) {
  load();
  if (now.nm[now.sn[j]] == X && now.gf == now.sk[j] && now.gx
#ifndef M_USUALRELEASE
      && !w
#endif
     ) { now.gu = 0; now.gx = 0; now.gn = 0; } /* the usual case */
  else if (now.nm[now.sn[j]] == X) {
#ifdef M_RELANY
    if (now.gx) ended();
#else
    if (now.gf == now.sk[j] && now.gx) ended();
#endif
    else advance(0);
  } else leaveReaders(now.sn[j]);
  if (!handedOn()) now.bad = 1;
}
#ifdef KEEP
static void keep(int j) { /* release, with a time for which to keep it */
  if (now.gf != now.sk[j] || now.gu == 0) return;
#ifndef M_KEPTAGAIN
  if (now.gk) return;
#endif
  now.gu = KEEP; now.gk = 1;
}
#endif
static void leave(int j) {
  int nonce = now.sn[j], i, to = 0;
  load();
  for (i = 0; i < now.ql; i++) if (now.qq[i] != nonce) now.qq[to++] = now.qq[i];
  while (to < now.ql) now.qq[--now.ql] = 0;
  now.wa[nonce] = 0;
#ifdef M_LEAVEANY
  if (now.gx) ended();
#else
  if (now.gx && now.gn == nonce) ended();
#endif
  else leaveReaders(nonce);
  if (!handedOn()) now.bad = 1;
}
static void renew(int j) {
  int nonce = now.sn[j];
  now.rs[j] = 0;
  if (now.nm[nonce] == X) {
#ifdef M_RENEWREVIVE
    if (now.gf == now.sk[j]) { now.rs[j] = 1; now.gx = 1; now.gu = TTL; }
#else
    if (now.gf == now.sk[j] && now.gu > 0) { now.rs[j] = 1; if (INUSERENEWED && now.gu < TTL) now.gu = TTL; }
#endif
  } else
#ifdef M_RENEWREVIVE
  { now.rs[j] = 1; now.rr[nonce] = 1 + TTL; }
#else
  if (now.rr[nonce] > 1) { now.rs[j] = 1; if (now.rr[nonce] < 1 + TTL) now.rr[nonce] = 1 + TTL; }
#endif
}
static void downgrade(int j) {
  int to = now.s2[j];
  load();
  if (now.rr[to]) { now.rs[j] = now.rr[to] > 1; return; }
  if (now.gf != now.sk[j] || now.gu == 0) { now.rs[j] = 0; return; }
#ifdef M_DOWNGAP
  ended(); if (now.gu == 0) enterReader(to, TTL); else now.rr[to] = 1 + TTL;
#else
  enterReader(to, TTL); ended();
#endif
  now.rs[j] = 1;
}
static void drained(int j) {
  int v, left = 0;
  now.rs[j] = 0;
  if (now.gf != now.sk[j] || now.gu == 0) return;
  for (v = 1; v <= K; v++) if (now.rr[v]) { if (now.rr[v] == 1) now.rr[v] = 0; else left = 1; }
#ifdef M_NODRAIN
  left = 0;
#endif
  now.rs[j] = !left;
}
static void carryOut(int j) {
  switch (now.k[j]) {
    case ACQ: acquire(j); break;
    case RENEW: renew(j); break;
    case REL: release(j); break;
    case LEAVE: leave(j); break;
    case DOWN: downgrade(j); break;
#ifdef KEEP
    case KEPT: keep(j); break;
#endif
    default: drained(j);
  }
}
static void clearSlot(int j) {
  now.k[j] = 0; now.who[j] = 0; now.sn[j] = 0; now.sk[j] = 0; now.al[j] = 0; now.st[j] = 0; now.rs[j] = 0; now.rt[j] = 0; now.s2[j] = 0; now.qu[j] = 0;
}
/* Symmetric states are one: nonces and tokens are numbered as they are first referred to, commands are sorted. */
static unsigned char nmap[K + 1], tmap[T + 1];
static int nnext, tnext;
static void nlabel(int v) { if (v && !nmap[v]) nmap[v] = nnext++; }
static void tlabel(int v) { if (v && !tmap[v]) tmap[v] = tnext++; }
static unsigned long slotKey(int j) {
  unsigned long v = now.k[j];
  if (!v) return 0;
  v = v * 4 + now.who[j]; v = v * 2 + now.al[j]; v = v * 2 + now.st[j]; v = v * 4 + now.rs[j]; v = v * 2 + now.qu[j];
  v = v * 16 + nmap[now.sn[j]]; v = v * 16 + nmap[now.s2[j]]; v = v * 16 + tmap[now.sk[j]]; v = v * 16 + tmap[now.rt[j]];
  return v;
}
static void swapSlots(int a, int b) {
  unsigned char t;
  t = now.k[a]; now.k[a] = now.k[b]; now.k[b] = t;
  t = now.who[a]; now.who[a] = now.who[b]; now.who[b] = t;
  t = now.sn[a]; now.sn[a] = now.sn[b]; now.sn[b] = t;
  t = now.sk[a]; now.sk[a] = now.sk[b]; now.sk[b] = t;
  t = now.al[a]; now.al[a] = now.al[b]; now.al[b] = t;
  t = now.st[a]; now.st[a] = now.st[b]; now.st[b] = t;
  t = now.rs[a]; now.rs[a] = now.rs[b]; now.rs[b] = t;
  t = now.rt[a]; now.rt[a] = now.rt[b]; now.rt[b] = t;
  t = now.s2[a]; now.s2[a] = now.s2[b]; now.s2[b] = t;
  t = now.qu[a]; now.qu[a] = now.qu[b]; now.qu[b] = t;
}
static void tidy(void) {
  int v, i, j;
  unsigned char r[K + 1], a[K + 1], m[K + 1], l[K + 1];
  unsigned long keys[M];
  for (v = 1; v <= K; v++) { nmap[v] = 0; if (!usedNonce(v)) { now.nm[v] = 0; now.lm[v] = 0; } }
  for (v = 1; v <= T; v++) tmap[v] = 0;
  nnext = tnext = 1; nmap[0] = tmap[0] = 0;
  nlabel(now.gn); tlabel(now.gf);
  for (i = 0; i < N; i++) { nlabel(now.nn[i]); nlabel(now.n2[i]); tlabel(now.tk[i]); tlabel(now.mt[i]); }
  for (i = 0; i < now.ql; i++) nlabel(now.qq[i]);
  for (i = 0; i < M; i++) keys[i] = slotKey(i);
  for (i = 1; i < M; i++)
    for (j = i; j > 0 && keys[j] > keys[j - 1]; j--) {
      unsigned long t = keys[j]; keys[j] = keys[j - 1]; keys[j - 1] = t;
      swapSlots(j, j - 1);
    }
  for (i = 0; i < M; i++) { nlabel(now.sn[i]); nlabel(now.s2[i]); tlabel(now.sk[i]); tlabel(now.rt[i]); }
  for (;;) {
    int best = 0;
    for (v = 1; v <= K; v++)
      if ((now.rr[v] || now.wa[v]) && !nmap[v] && (!best || now.rr[v] * 16 + now.wa[v] > now.rr[best] * 16 + now.wa[best])) best = v;
    if (!best) break;
    nlabel(best);
  }
  for (v = 1; v <= K; v++) nlabel(v);
  for (v = 1; v <= K; v++) { r[nmap[v]] = now.rr[v]; a[nmap[v]] = now.wa[v]; m[nmap[v]] = now.nm[v]; l[nmap[v]] = now.lm[v]; }
  for (v = 1; v <= K; v++) { now.rr[v] = r[v]; now.wa[v] = a[v]; now.nm[v] = m[v]; now.lm[v] = l[v]; }
  now.gn = nmap[now.gn]; now.gf = tmap[now.gf];
  for (i = 0; i < N; i++) { now.nn[i] = nmap[now.nn[i]]; now.n2[i] = nmap[now.n2[i]]; now.tk[i] = tmap[now.tk[i]]; now.mt[i] = tmap[now.mt[i]]; }
  for (i = 0; i < now.ql; i++) now.qq[i] = nmap[now.qq[i]];
  for (i = 0; i < M; i++) { now.sn[i] = nmap[now.sn[i]]; now.s2[i] = nmap[now.s2[i]]; now.sk[i] = tmap[now.sk[i]]; now.rt[i] = tmap[now.rt[i]]; }
}
static int crowded(void) { /* mutual exclusion of beliefs */
  int i, j, permits = 0, least = 9;
  for (i = 0; i < N; i++)
    if (now.ph[i] == HELD && now.bl[i] > 0) {
      for (j = 0; j < N; j++) if (i != j && now.md[i] == X && now.ph[j] == HELD && now.bl[j] > 0) return 1;
      if (now.md[i] == P) { permits++; if (now.lm[now.nn[i]] < least) least = now.lm[now.nn[i]]; }
    }
  return permits > least;
}
static void tickAll(void) {
  int v;
  if (now.gu > 0) now.gu--;
#ifdef KEEP
  now.kp = now.gu > 0 && now.gk ? now.kp + 1 : 0;
  if (now.kp >= KEEP) now.bad = 1; /* something has made the minimum longer */
#endif
  for (v = 1; v <= K; v++) { if (now.rr[v] > 1) now.rr[v]--; if (now.wa[v] > 1) now.wa[v]--; }
  for (v = 0; v < N; v++) { if (now.bl[v]) now.bl[v]--; if (now.bw[v]) now.bw[v]--; if (now.aa[v] < PROM && (now.ph[v] == WAIT || now.ph[v] == ASK)) now.aa[v]++; }
}
static const char *names[] = {"?", "attempt", "renewal", "release", "leave", "downgrade", "drained?", "keep"};
static void show(int j) {
  Printf("   server: %s of nonce %d runs -> %d (writer %d left %d, entries", names[now.k[j]], now.sn[j], now.rs[j], now.gn, now.gu);
  { int v; for (v = 1; v <= K; v++) if (now.rr[v]) Printf(" %d:%d", v, now.rr[v] - 1); }
  Printf(", queue of %d)\n", now.ql);
}
}
#define END f = 0; q = 0; z = 0; gtok = 0; aux = 0; c_code { tidy(); }
#define SAFE c_code { if (crowded()) now.bad = 1; }; assert(!small); assert(!bad); assert(ql == 0 || wf)

inline alloc() { q = 0; do :: k[q] != 0 -> q++ :: else -> break od }
inline send(kind, i, nonce, token, wait) { alloc(); k[q] = kind; who[q] = i; sn[q] = nonce; sk[q] = token; al[q] = wait; st[q] = 0 }
inline background(kind, i, nonce, token) { if :: FS -> send(kind, i, nonce, token, 0); who[q] = 0 :: else -> skip fi }
inline forget(i) { /* the client relies on it no more; what is on its way for it stays on its way */
  z = 0;
  do :: z < M -> if :: k[z] != 0 && al[z] && who[z] == i -> if :: st[z] -> c_code { clearSlot(now.z); } :: else -> al[z] = 0; who[z] = 0 fi :: else -> skip fi; z++ :: else -> break od;
  ph[i] = IDLE; nn[i] = 0; tk[i] = 0; bl[i] = 0; bw[i] = 0; aa[i] = 0; rp[i] = 0; mg[i] = 0; mt[i] = 0; mx[i] = 0; md[i] = 0; n2[i] = 0 }

/* ---- taking and queueing */
#define BEGIN(i,m,l) c_code { now.f = freshNonce(); }; \
   if :: f == 0 -> skip :: else -> md[i] = m; nn[i] = f; nm[f] = m; lm[f] = l; ph[i] = ASK; bw[i] = TTL; \
      send(ACQ, i, f, 0, 1); qu[q] = 1; c_code { Printf("process asks, mode %d, nonce %d, limit %d\n", m, now.f, l); } fi; END
#define O_ASK(i) \
:: d_step { ph[i] == IDLE && FS && MAYX(i) -> BEGIN(i,X,0) } \
:: d_step { ph[i] == IDLE && FS && MAYS(i) -> BEGIN(i,S,0) } \
:: d_step { ph[i] == IDLE && FS && MAYP(i) && MAYLIM(1) -> BEGIN(i,P,1) } \
:: d_step { ph[i] == IDLE && FS && MAYP(i) && MAYLIM(2) && LIM >= 2 -> BEGIN(i,P,2) } \
:: d_step { ph[i] == WAIT && FS && !mg[i] -> ph[i] = ASK; bw[i] = TTL; send(ACQ, i, nn[i], 0, 1); qu[q] = 1; \
   c_code { Printf("the waiter of nonce %d asks again\n", now.nn[i]); }; END } \
:: d_step { ph[i] == WAIT && FS && mg[i] && MESSAGELEFT(i) * 2 < PROM -> ph[i] = ASK; bw[i] = TTL; send(ACQ, i, nn[i], 0, 1); qu[q] = 1; END }
#ifdef M_PROMISEFROMMESSAGE
#define MESSAGELEFT(i) PROM
#else
#define MESSAGELEFT(i) (PROM - aa[i])
#endif
#define O_MSG(i) \
:: d_step { ph[i] == WAIT && mg[i] && MESSAGELEFT(i) * 2 >= PROM && MESSAGELEFT(i) > 0 -> \
   bl[i] = MESSAGELEFT(i); tk[i] = mt[i]; ph[i] = (mx[i] -> DRAIN : HELD); mg[i] = 0; mt[i] = 0; mx[i] = 0; aa[i] = 0; \
   c_code { Printf("the waiter of nonce %d has a message and holds for %d\n", now.nn[i], now.bl[i]); }; SAFE; END } \
:: d_step { mg[i] -> mg[i] = 0; mt[i] = 0; mx[i] = 0; END }                    /* lost */
#define O_GIVEUP(i) \
:: d_step { ph[i] == ASK || ph[i] == WAIT -> f = nn[i]; c_code { Printf("the waiter of nonce %d gives up\n", now.f); }; forget(i); background(LEAVE, i, f, 0); END }
#ifdef M_ANSFROM
#define GRANTED(x) TTL
#else
#define GRANTED(x) bw[x]
#endif
/* M_SAMENONCE: asks again under the same nonce although the lease that came late is being released */
/* the answer to an attempt */
#define O_ANSWER(j) \
:: d_step { k[j] == ACQ && st[j] -> q = who[j]; f = rt[j]; z = rs[j]; \
   c_code { Printf("answer to the attempt of nonce %d: %d\n", now.sn[j], now.rs[j]); }; \
   ANSWERED(q, j) SAFE; END }
#define ANSWERED(x,j) \
   if \
   :: z == 0 -> ph[x] = WAIT; aa[x] = (TTL - bw[x] < PROM -> TTL - bw[x] : PROM); bw[x] = 0; c_code { clearSlot(j); } \
   :: z > 0 && GRANTED(x) > 0 -> bl[x] = GRANTED(x); bw[x] = 0; aa[x] = 0; tk[x] = f; ph[x] = (z == 2 -> DRAIN : HELD); mg[x] = 0; mt[x] = 0; mx[x] = 0; c_code { clearSlot(j); } \
   :: else -> z = x; c_code { clearSlot(j); }; LATEGRANT \
   fi;
#ifdef M_SAMENONCE
#define LATEGRANT if :: FS -> send(REL, z, nn[z], f, 0); who[q] = 0 :: else -> skip fi; ph[z] = WAIT; bl[z] = 0; bw[z] = 0; aa[z] = PROM;
#else
#define LATEGRANT if :: FS -> send(REL, z, nn[z], f, 0); who[q] = 0 :: else -> skip fi; \
   ph[z] = IDLE; nn[z] = 0; tk[z] = 0; bl[z] = 0; bw[z] = 0; aa[z] = 0; mg[z] = 0; mt[z] = 0; mx[z] = 0; md[z] = 0;
#endif

/* ---- holding */
#define O_HOLD(i) \
:: d_step { (ph[i] == HELD || ph[i] == DRAIN) && bl[i] > 0 && !rp[i] && FS -> send(RENEW, i, nn[i], tk[i], 1); rp[i] = 1; bw[i] = TTL; END } \
:: d_step { (ph[i] == HELD || ph[i] == DRAIN) -> f = nn[i]; c_code { Printf("the holder of nonce %d releases\n", now.f); }; RELEASING(i) END } \
:: d_step { ph[i] == DRAIN && bl[i] > 0 && FS && !DRNING(i) -> send(DRN, i, nn[i], tk[i], 1); END }
#ifdef KEEP
#define O_KEEP(i) \
:: d_step { ph[i] == HELD && md[i] == X -> f = nn[i]; gtok = tk[i]; forget(i); background(KEPT, i, f, gtok); END }
#else
#define O_KEEP(i)
#endif
#define RELEASING(i) gtok = tk[i]; forget(i); background(REL, i, f, gtok);
#define DRNING(i) (ANYDRN(i))
#if M==1
#define ANYDRN(i) (k[0] == DRN && al[0] && who[0] == i)
#elif M==2
#define ANYDRN(i) ((k[0] == DRN && al[0] && who[0] == i) || (k[1] == DRN && al[1] && who[1] == i))
#else
#define ANYDRN(i) ((k[0] == DRN && al[0] && who[0] == i) || (k[1] == DRN && al[1] && who[1] == i) || (k[2] == DRN && al[2] && who[2] == i))
#endif
#define O_RENEWED(j) \
:: d_step { k[j] == RENEW && st[j] -> q = who[j]; z = rs[j]; c_code { clearSlot(j); }; \
   if :: z == 1 && bl[q] > 0 -> bl[q] = bw[q] :: else -> bl[q] = 0 fi; rp[q] = 0; bw[q] = 0; SAFE; END } \
:: d_step { k[j] == RENEW && al[j] -> q = who[j]; rp[q] = 0; bw[q] = 0; if :: st[j] -> c_code { clearSlot(j); } :: else -> al[j] = 0; who[j] = 0 fi; END } \
:: d_step { k[j] == DRN && st[j] -> q = who[j]; z = rs[j]; c_code { clearSlot(j); }; \
   if :: z == 1 && bl[q] > 0 -> ph[q] = HELD :: else -> skip fi; SAFE; END }

/* ---- the downgrade */
#ifdef DG
#define O_DOWN(i) \
:: d_step { ph[i] == HELD && md[i] == X && bl[i] > 0 && !rp[i] && FS -> c_code { now.f = freshNonce(); }; \
   if :: f == 0 -> skip :: else -> n2[i] = f; nm[f] = S; send(DOWN, i, nn[i], tk[i], 1); s2[q] = n2[i]; ph[i] = DOWNING; bw[i] = TTL fi; END } \
:: d_step { ph[i] == DOWNING && !DGAWAITED(i) && bl[i] > 0 && FS -> send(DOWN, i, nn[i], tk[i], 1); s2[q] = n2[i]; END } \
:: d_step { ph[i] == DOWNING && !DGAWAITED(i) -> f = nn[i]; gtok = tk[i]; GIVEUPDOWN(i) END }
#ifdef M_DOWNKEEP
#define GIVEUPDOWN(i) ph[i] = HELD; n2[i] = 0; bw[i] = 0; SAFE;
#else
#define GIVEUPDOWN(i) aux = n2[i]; forget(i); background(REL, i, f, gtok); background(LEAVE, i, aux, 0);
#endif
#if M==1
#define DGAWAITED(i) (k[0] == DOWN && al[0] && who[0] == i)
#elif M==2
#define DGAWAITED(i) ((k[0] == DOWN && al[0] && who[0] == i) || (k[1] == DOWN && al[1] && who[1] == i))
#else
#define DGAWAITED(i) ((k[0] == DOWN && al[0] && who[0] == i) || (k[1] == DOWN && al[1] && who[1] == i) || (k[2] == DOWN && al[2] && who[2] == i))
#endif
#define O_DOWNED(j) \
:: d_step { k[j] == DOWN && st[j] -> q = who[j]; z = rs[j]; f = n2[q]; c_code { clearSlot(j); }; \
   if :: z == 1 && bl[q] > 0 -> md[q] = S; nn[q] = f; n2[q] = 0; tk[q] = 0; bl[q] = bw[q]; bw[q] = 0; ph[q] = HELD \
      :: else -> z = q; ph[z] = IDLE; nn[z] = 0; tk[z] = 0; bl[z] = 0; bw[z] = 0; md[z] = 0; n2[z] = 0; background(LEAVE, z, f, 0) \
   fi; SAFE; END } \
:: d_step { k[j] == DOWN && al[j] -> if :: st[j] -> c_code { clearSlot(j); } :: else -> al[j] = 0; who[j] = 0 fi; END }
#else
#define O_DOWN(i)
#define O_DOWNED(j)
#endif

/* ---- the network and the server */
#define O_RUN(j) \
:: d_step { k[j] != 0 && !st[j] -> c_code { carryOut(j); show(j); }; \
   if :: k[j] == REL || k[j] == LEAVE || k[j] == KEPT -> skip \
      :: else -> if :: al[j] -> st[j] = 1 :: else -> c_code { clearSlot(j); } fi fi; SAFE; END } \
:: d_step { k[j] != 0 && !al[j] -> c_code { clearSlot(j); }; END } \
:: d_step { k[j] != 0 && al[j] && !st[j] && DUP && FS -> alloc(); z = q; \
   k[z] = k[j]; sn[z] = sn[j]; sk[z] = sk[j]; s2[z] = s2[j]; qu[z] = qu[j]; c_code { Printf("   the driver sends a second copy\n"); }; END }
#ifdef NODUP
#define DUP 0
#else
#define DUP 1
#endif
#ifdef CRASHES
#define O_CRASH(i) :: d_step { crashes < CRASHES && ph[i] != DEAD -> crashes++; forget(i); ph[i] = DEAD; END }
#else
#define O_CRASH(i)
#endif

active proctype World() {
  do
  EACHN(O_ASK) EACHN(O_MSG) EACHN(O_GIVEUP) EACHM(O_ANSWER)
  EACHN(O_HOLD) EACHN(O_KEEP) EACHM(O_RENEWED)
  EACHN(O_DOWN) EACHM(O_DOWNED)
  EACHM(O_RUN) EACHN(O_CRASH)
  :: d_step { true -> c_code { tickAll(); Printf("tick\n"); }; END; assert(!bad) }
  od
}
