/** What happened on each lane, a lane per node and thread, made of the moments the server sends. Knows no page. */

const MOST = 4000;

export class History {
  bars = []; // { lane, node, thread, key, mode, kind: wait|hold|free, start, end, token, fate }
  pauses = []; // { node, start, end }
  #open = new Map(); // lane → its bars that have not ended, the latest last

  clear() {
    this.bars = [];
    this.pauses = [];
    this.#open.clear();
  }

  add(moment) {
    const at = moment.at / 1000;
    const lane = `${moment.node} ${moment.thread}`;
    switch (moment.kind) {
      case "WAITING":
        this.#begin(lane, moment, "wait", at);
        break;
      case "UNLOCKED":
        this.#begin(lane, moment, "free", at);
        break;
      case "ACQUIRED":
        this.#end(lane, (bar) => bar.kind === "wait" && bar.key === moment.key, at);
        this.#begin(lane, moment, "hold", at);
        break;
      case "RELEASED":
        this.#release(lane, moment, at);
        break;
      case "DONE":
        this.#end(lane, (bar) => bar.kind !== "hold" && bar.key === moment.key, at, "gave up");
        this.#end(lane, (bar) => bar.lost && bar.key === moment.key, at);
        break;
      case "AT_RISK":
        this.#held(moment).forEach((bar) => (bar.risk ??= at));
        break;
      case "NODE":
        this.#node(moment.node, moment.state, at);
        break;
      case "LOST": // its end is sent only if it is still released
        this.#held(moment).forEach((bar) => (bar.lost ??= at));
        break;
      default: // EXPIRED: another thread's lease, whose own lane shows it; BUSY: DONE shows it
    }
  }

  /** A node paused, went on, or ended. */
  #node(name, state, at) {
    const pause = this.pauses.findLast((one) => one.node === name && one.end === undefined);
    if (state === "PAUSED") {
      this.pauses.push({ node: name, start: at });
    } else if (pause) {
      pause.end = at;
    }
    if (state === "DOWN") {
      for (const [lane, bars] of this.#open) {
        if (lane.startsWith(`${name} `)) {
          bars.forEach((bar) => {
            bar.end = at;
            bar.lost ??= bar.kind === "hold" ? at : undefined;
            bar.fate = "its node ended";
          });
          this.#open.delete(lane);
        }
      }
    }
  }

  /** Whether something is going on that has no end yet. */
  get isLive() {
    return [...this.#open.values()].some((bars) => bars.some((bar) => !bar.lost)) || this.pauses.some((pause) => !pause.end);
  }

  keys() {
    return [...new Set(this.bars.map((bar) => bar.key))];
  }

  #begin(lane, { node, thread, key, mode, token }, kind, start) {
    const bar = { lane, node, thread, key, mode, kind, start, token };
    this.bars.push(bar);
    if (this.bars.length > MOST) {
      this.bars.splice(0, this.bars.length - MOST);
    }
    this.#openOf(lane).push(bar);
  }

  #end(lane, matches, at, fate) {
    const open = this.#openOf(lane);
    const index = open.findLastIndex(matches);
    if (index >= 0) {
      const [bar] = open.splice(index, 1);
      bar.end = at;
      bar.fate = fate;
    }
  }

  /** A lock may be released by another thread than the one that acquired it. */
  #release(lane, moment, at) {
    const lanes = this.#openOf(lane).some((bar) => isOf(bar, moment)) ? [lane] : [...this.#open.keys()];
    const where = lanes.find((one) => this.#openOf(one).some((bar) => isOf(bar, moment)));
    if (where) {
      this.#end(where, (bar) => isOf(bar, moment), at);
    }
  }

  #held(moment) {
    return [...this.#open.values()].flat().filter((bar) => isOf(bar, moment));
  }

  #openOf(lane) {
    if (!this.#open.has(lane)) {
      this.#open.set(lane, []);
    }
    return this.#open.get(lane);
  }
}

function isOf(bar, { node, key, token }) {
  return bar.kind === "hold" && bar.node === node && bar.key === key && bar.token === token;
}
