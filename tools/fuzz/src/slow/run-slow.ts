import type { Findings } from "../findings.ts";
import { Random } from "../random.ts";
import { fullBytes, mutated, newCase, pairs, scaled } from "./grow.ts";
import { ProbedServer } from "./probed-server.ts";
import { requestOf, type SlowCase, slowName } from "./slow-case.ts";
import { baseObject, resourceOf } from "./slow-resources.ts";

/** CPU time that one turn of the event loop may take, in milliseconds, whatever is sent. */
export const turnBudgetMs = 200;

/** Bytes of a first try, and the CPU of a turn from which on it is worth a full one. */
const scoutBytes = 600_000;
const promisingMs = 18;
/** Cases that the search goes on from. */
const maxPool = 60;

export interface SlowRun {
  readonly seed: number;
  readonly untilMs: number;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

interface Measured {
  readonly input: SlowCase;
  readonly worstMs: number;
  readonly status: number;
}

/** Looks for requests that hold the event loop: grows objects of every kind in every form, and goes on from the slowest. */
export async function runSlow(run: SlowRun): Promise<{ readonly tried: number; readonly worst: readonly Measured[] }> {
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
  readonly #random: Random;
  readonly #pool: Measured[] = [];
  #tried = 0;

  constructor(server: ProbedServer, run: SlowRun) {
    this.#server = server;
    this.#run = run;
    this.#random = new Random(run.seed);
  }

  async run(): Promise<{ readonly tried: number; readonly worst: readonly Measured[] }> {
    let reported = Date.now();
    for (let round = 0; !this.#over(); round++) {
      for (const [resource, form] of pairs(this.#random)) {
        if (this.#over()) break;
        await this.#scout(newCase(this.#random, resource, form, scoutBytes));
        const from = this.#pool.length > 0 && this.#random.chance(0.5) ? this.#random.pick(this.#pool) : undefined;
        if (from !== undefined) await this.#try(mutated(this.#random, from.input, fullBytes));
        if (Date.now() - reported > 60_000) {
          reported = Date.now();
          const [worst] = this.#pool;
          const at =
            worst === undefined ? "" : `, worst ${Math.round(worst.worstMs)} ms: ${JSON.stringify(worst.input)}`;
          this.#run.print(`${new Date().toISOString()} ${this.#tried} slow cases, round ${round}${at.slice(0, 400)}`);
        }
      }
    }
    return { tried: this.#tried, worst: this.#pool };
  }

  #over(): boolean {
    return Date.now() >= this.#run.untilMs || this.#run.signal.aborted;
  }

  async #scout(input: SlowCase): Promise<void> {
    const found = await this.#measure(input);
    if (found !== undefined && found.worstMs >= promisingMs) await this.#try(scaled(input, fullBytes));
  }

  async #try(input: SlowCase): Promise<void> {
    const found = await this.#measure(input);
    if (found === undefined) return;
    this.#pool.push(found);
    this.#pool.sort((a, b) => b.worstMs - a.worstMs);
    this.#pool.length = Math.min(this.#pool.length, maxPool);
    if (found.worstMs <= turnBudgetMs) return;
    const { resource, form, growths } = input;
    const kind = `${resource} ${form} ${growths.map(({ at, how }) => `${at.join(".")} ${how}`).join(", ")}`;
    if (this.#run.findings.seen("slow", kind)) return;
    const sure = await this.#least(input);
    if (sure === undefined || sure.worstMs <= turnBudgetMs) return;
    const small = await this.#smaller(sure);
    const message = `${kind}: ${Math.round(small.worstMs)} ms of CPU in one turn, status ${small.status}`;
    this.#run.findings.add({ target: "slow", message, input: { slow: JSON.stringify(small.input) } });
  }

  /** The best of several tries: a collection of garbage or the first compilation is not the input's. */
  async #least(input: SlowCase): Promise<Measured | undefined> {
    let least: Measured | undefined;
    for (let i = 0; i < 3; i++) {
      const found = await this.#measure(input);
      if (found !== undefined && (least === undefined || found.worstMs < least.worstMs)) least = found;
    }
    return least;
  }

  /** Leaves out what is not needed, and halves the rest, as long as it stays over the budget. */
  async #smaller(given: Measured): Promise<Measured> {
    let best = given;
    for (let progress = true; progress && !this.#over(); ) {
      progress = false;
      const { growths } = best.input;
      const fewer = growths.length > 1 ? growths.map((_, i) => growths.toSpliced(i, 1)) : [];
      const halves = growths.map((one, i) => growths.with(i, { ...one, times: Math.ceil(one.times / 2) }));
      for (const candidate of [...fewer, ...halves]) {
        const found = await this.#least({ ...best.input, growths: candidate });
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
    if (measured !== undefined) this.#tried++;
    return measured;
  }
}

const patches: ReadonlySet<string> = new Set(["json-patch", "merge-patch", "strategic-patch", "update"]);

/** Sends a case and says what it cost; whatever it made is gone afterwards. */
export async function measure(
  server: ProbedServer,
  input: SlowCase,
  report: (message: string) => void,
): Promise<Measured | undefined> {
  const request = requestOf(input);
  if (request === undefined || (request.body?.length ?? 0) > 3 * 1024 * 1024) return undefined;
  const definition = resourceOf(input.resource);
  const name = String((baseObject(definition, slowName).metadata as { readonly name: string }).name);
  const path = request.path.split("?")[0] ?? "";
  const collection = path.endsWith(`/${slowName}`) ? path.slice(0, -slowName.length - 1) : path;
  const target = { ...request, path: request.path.replace(`${collection}/${slowName}`, `${collection}/${name}`) };
  try {
    if (patches.has(input.form)) await server.json("POST", collection, baseObject(definition, slowName));
    const { worstMs, status } = await server.send(target);
    const made = status < 300 && input.form !== "selector";
    const read = made ? await server.send({ method: "GET", path: `${collection}/${name}`, headers: yaml }) : undefined;
    if (made || patches.has(input.form)) await server.json("DELETE", `${collection}/${name}?gracePeriodSeconds=0`);
    if (status >= 500 && status !== 503 && status !== 504) report(`${input.resource} ${input.form}: status ${status}`);
    return { input, status, worstMs: Math.max(worstMs, read?.worstMs ?? 0) };
  } catch (error) {
    const alive = server.server.running;
    const why = error instanceof Error ? error.message : String(error);
    report(
      `${input.resource} ${input.form}: ${alive ? `no answer: ${why}` : `the server died: ${server.server.log(20)}`}`,
    );
    await server.restart();
    return undefined;
  }
}

const yaml = { accept: "application/yaml" } as const;
