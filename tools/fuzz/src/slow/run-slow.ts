import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Findings } from "../findings.ts";
import { caseSeed, Random } from "../random.ts";
import { fullBytes, mutated, newCase, scaled, targetsOf, transplanted } from "./grow.ts";
import { type Measured, measure } from "./measure.ts";
import { ProbedServer } from "./probed-server.ts";
import type { Form, SlowCase } from "./slow-case.ts";
import { worstKnown } from "./worst-known.ts";

/**
 * CPU time that one turn of the event loop may take, in milliseconds, for any request. All other clients wait during
 * a turn, probes of liveness included.
 */
export const turnBudgetMs = 200;

/** Bytes of the first, cheap try, and the CPU time of a turn above which a full-size try is worthwhile. */
const scoutBytes = 600_000;
const promisingMs = 15;
/** Number of repetitions, all of which must exceed the budget for a finding. */
const confirmations = 5;
const reportEveryMs = 60_000;

/** The options of {@link runSlow}. */
export interface SlowRun {
  readonly seed: number;
  readonly untilMs: number;
  /** Parts of target names such as `/v1/pods json`; only targets with one of them are run. Empty: all targets. */
  readonly only: readonly string[];
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Results for a target, which is a resource and a form. */
interface SlowTarget {
  readonly name: string;
  cases: number;
  /** Its slowest case so far. */
  worst: Measured | undefined;
}

/** The result of a run. */
export interface SlowOutcome {
  readonly tried: number;
  /** Slowest first. */
  readonly targets: readonly SlowTarget[];
}

/**
 * Searches for requests that block the event loop. Grows objects of all kinds in all forms, and varies the slowest
 * case of each: cost guides the search, as coverage does in other fuzzers.
 * @throws Error when no target matches `only`, or the server does not start
 */
export async function runSlow(run: SlowRun): Promise<SlowOutcome> {
  const server = await ProbedServer.start();
  try {
    return await new SlowSearch(server, run).run();
  } finally {
    await server.stop();
  }
}

class SlowSearch {
  readonly #server: ProbedServer;
  readonly #run: SlowRun;
  readonly #targets = new Map<string, SlowTarget>();
  #random: Random;
  #tried = 0;
  #collections = 0;
  #reportAtMs = Date.now() + reportEveryMs;

  constructor(server: ProbedServer, run: SlowRun) {
    this.#server = server;
    this.#run = run;
    this.#random = new Random(run.seed);
  }

  async run(): Promise<SlowOutcome> {
    const { seed, only } = this.#run;
    const all = targetsOf(new Random(seed));
    const wanted = all.filter(([resource, form]) => isWanted(`${resource} ${form}`, only));
    const known = worstKnown();
    if (wanted.length === 0) throw new Error(`no target name contains one of ${JSON.stringify(only)}`);
    for (let visit = 0; !this.#over(); visit++) {
      const [resource, form] = wanted[visit % wanted.length] as (typeof wanted)[number];
      // The first case of a visit follows from the seed and the number alone. The others also depend on what was slow
      // before.
      this.#random = new Random(caseSeed(seed, visit));
      if (visit < wanted.length)
        for (const input of known) if (input.resource === resource && input.form === form) await this.#try(input);
      await this.#visit(resource, form);
      this.#report(Math.floor(visit / wanted.length));
    }
    return { tried: this.#tried, targets: this.#sorted() };
  }

  async #visit(resource: string, form: Form): Promise<void> {
    const random = this.#random;
    const scout = newCase(random, resource, form, scoutBytes);
    const found = await this.#measure(scout);
    if (found !== undefined && found.worstMs >= promisingMs) await this.#try(scaled(scout, fullBytes));
    const best = this.#target(scout).worst;
    if (best !== undefined && random.chance(0.6)) await this.#try(mutated(random, best.input, fullBytes));
    const other = random.pick([...this.#targets.values()]).worst;
    const moved = other && random.chance(0.3) ? transplanted(other.input, resource, form) : undefined;
    if (moved !== undefined) await this.#try(moved);
  }

  async #try(input: SlowCase): Promise<void> {
    const found = await this.#measure(input);
    if (found === undefined || found.worstMs <= turnBudgetMs) return;
    const { resource, form, growths } = input;
    const places = growths.map(({ at, how, of }) => `${at.join(".")} ${how} of ${of.slice(0, 20)}`).join(", ");
    if (this.#run.findings.seen("slow", `${form} ${places}`)) return;
    const sure = await this.#least(input);
    if (sure === undefined || sure.worstMs <= turnBudgetMs) return;
    // A long garbage collection depends on the heap and not on the case, so it is counted but not a finding.
    if (sure.worstMs - sure.gcMs <= turnBudgetMs) {
      this.#collections++;
      this.#run.print(`collection of garbage: ${summary(sure)}`);
      return;
    }
    const small = await this.#smaller(sure);
    const message = `${resource} ${form}, ${places}: ${Math.round(small.worstMs)} ms of CPU in one turn, status ${small.status}`;
    this.#run.findings.add({ target: "slow", message, input: { slow: JSON.stringify(small.input) } });
  }

  /** The fastest of several tries: a single one may include compilation. Stops at the first try within the budget. */
  async #least(input: SlowCase): Promise<Measured | undefined> {
    let least: Measured | undefined;
    for (let i = 0; i < confirmations; i++) {
      const found = await this.#measure(input);
      if (found !== undefined && (least === undefined || found.worstMs < least.worstMs)) least = found;
      if (least !== undefined && least.worstMs <= turnBudgetMs) break;
    }
    return least;
  }

  /** Removes what is not needed and halves the rest, as long as the case stays above the budget. */
  async #smaller(given: Measured): Promise<Measured> {
    let best = given;
    for (let progress = true; progress && !this.#over(); ) {
      progress = false;
      for (const candidate of reductions(best.input)) {
        const found = await this.#least(candidate);
        if (found === undefined || found.worstMs <= turnBudgetMs) continue;
        best = found;
        progress = true;
        break;
      }
    }
    return best;
  }

  async #measure(input: SlowCase): Promise<Measured | undefined> {
    const measured = await measure(this.#server, input, (message) => {
      if (!this.#run.findings.seen("slow", message))
        this.#run.findings.add({ target: "slow", message, input: { slow: JSON.stringify(input) } });
    });
    if (measured === undefined) return undefined;
    this.#tried++;
    const target = this.#target(input);
    target.cases++;
    if (target.worst === undefined || measured.worstMs > target.worst.worstMs) target.worst = measured;
    return measured;
  }

  #target({ resource, form }: SlowCase): SlowTarget {
    const name = `${resource} ${form}`;
    const target = this.#targets.get(name) ?? { name, cases: 0, worst: undefined };
    this.#targets.set(name, target);
    return target;
  }

  #sorted(): SlowTarget[] {
    return [...this.#targets.values()].sort((a, b) => (b.worst?.worstMs ?? 0) - (a.worst?.worstMs ?? 0));
  }

  #report(round: number): void {
    if (Date.now() < this.#reportAtMs) return;
    this.#reportAtMs = Date.now() + reportEveryMs;
    const [slowest] = this.#sorted();
    const now = new Date().toISOString();
    const counts = `${this.#tried} cases of ${this.#targets.size} targets, round ${round}, ${this.#collections} long collections`;
    this.#run.print(`${now} ${counts}; slowest: ${slowest?.worst === undefined ? "none" : summary(slowest.worst)}`);
  }

  #over(): boolean {
    return Date.now() >= this.#run.untilMs || this.#run.signal.aborted;
  }
}

function isWanted(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((word) => name.includes(word));
}

/** Simpler variants of a case: without the stored object, with one growth less, or with one growth half as large. */
function reductions(input: SlowCase): readonly SlowCase[] {
  const { growths, stored, ...rest } = input;
  const kept = stored === undefined ? {} : { stored };
  const plain = stored === undefined ? [] : [{ ...rest, growths }];
  const fewer =
    growths.length > 1 ? growths.map((_, i) => ({ ...rest, ...kept, growths: growths.toSpliced(i, 1) })) : [];
  const halves = growths.map((one, i) => ({
    ...rest,
    ...kept,
    growths: growths.with(i, { ...one, times: Math.ceil(one.times / 2) }),
  }));
  return [...plain, ...fewer, ...halves];
}

/** The cost of a case, in a line. */
export function summary({ worstMs, gcMs, slowness, status, input }: Measured): string {
  const collected = gcMs >= 1 ? ` (${Math.round(gcMs)} ms of them garbage)` : "";
  const busy = slowness >= 1.1 ? ` on a machine slowed down ${slowness.toFixed(1)} times` : "";
  return `${Math.round(worstMs)} ms${collected}${busy}, status ${status}: ${JSON.stringify(input).slice(0, 400)}`;
}

/** Measures one case several times and prints each result, for a closer look at a finding. */
export async function repeatSlow(input: SlowCase, times: number, print: (line: string) => void): Promise<void> {
  const server = await ProbedServer.start();
  try {
    for (let i = 0; i < times; i++) {
      const measured = await measure(server, input, print);
      print(measured === undefined ? "the case cannot be sent" : summary(measured));
    }
  } finally {
    await server.stop();
  }
}

/** Writes the results for all targets to a file in the folder. Returns its path. */
export function writeTargets(folder: string, { targets }: SlowOutcome): string {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "slow-targets.json");
  const rows = targets.map(({ name, cases, worst }) => ({ name, cases, ...worst }));
  writeFileSync(file, `${JSON.stringify(rows, null, 1)}\n`);
  return file;
}
