import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { messageOf } from "@orchernetes/kernel";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { minimize } from "../case-arbitrary.ts";
import { type Findings, findingKey } from "../findings.ts";
import { caseSeed, Random } from "../random.ts";
import { eraseTarget, type FuzzCase, type Target } from "../target.ts";
import { Canary } from "./canary.ts";
import { cleanUp, snapshot } from "./cleanup.ts";
import { type FuzzedDaemon, startDaemons } from "./daemons.ts";
import { fuzzNamespace, type ServerEnvironment } from "./environment.ts";
import { httpTargets } from "./http-targets.ts";
import { http1Target } from "./http1-target.ts";
import { http2Target } from "./http2-target.ts";
import { JsonClient } from "./json-client.ts";
import { LogReader, openDescriptors, privateMemoryMib } from "./vital-signs.ts";

/** The options of {@link runServer}. */
export interface ServerRun {
  readonly targets: readonly string[];
  readonly store: "embedded" | "etcd";
  readonly seed: number;
  readonly untilMs: number;
  /** Requests in flight at a time. */
  readonly workers: number;
  /** Time between two measurements of memory, each after everything is deleted. */
  readonly windowMs: number;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Memory and descriptors at rest, after everything is deleted. */
interface Rest {
  readonly memoryMib: number;
  readonly descriptors: number;
}

/** The result of {@link runServer}: number of cases by target, and the measurements at rest in order. */
export interface ServerResult {
  readonly counts: Readonly<Record<string, number>>;
  readonly rests: readonly Rest[];
}

/** Names of the targets of an API server. */
export const serverTargetNames: readonly string[] = [
  "http-bodies",
  "http-patches",
  "http-queries",
  "http-paths",
  "http-headers",
  "http1-bytes",
  "http2-frames",
];

/** The targets of a running API server. */
export function serverTargets({ port, token, caFile }: TestApiServer): readonly Target[] {
  const environment: ServerEnvironment = { endpoint: { port, ca: readFileSync(caFile) }, token, continueTokens: [] };
  return [
    ...httpTargets(environment).map((target) => eraseTarget(target)),
    eraseTarget(http1Target("http1-bytes", environment.endpoint, token)),
    eraseTarget(http2Target(environment.endpoint, token)),
  ];
}

/**
 * Starts the API server to fuzz, with all APIs and a short request timeout, so that requests without an end do not
 * occupy workers for long.
 */
export function startFuzzedServer(store: ServerRun["store"]): Promise<TestApiServer> {
  return startApiServer({
    store,
    authorizationMode: "Node,RBAC",
    flags: ["--runtime-config=api/all=true", "--request-timeout=20s"],
  });
}

// Time to shrink one finding.
const MINIMIZE_MS = 20_000;
// Cases to remember as suspects if the server dies; several times the requests in flight.
const RECENT = 40;

/**
 * Fuzzes an API server of its own, and daemons that use it, until the time is over. Watches health, memory,
 * descriptors and log.
 * @throws Error when a server does not start
 */
export async function runServer(run: ServerRun): Promise<ServerResult> {
  const server = await startFuzzedServer(run.store);
  let daemons: readonly FuzzedDaemon[] = [];
  try {
    daemons = await startDaemons(server, run.targets);
    return await new ServerFuzzing(run, server, daemons).run();
  } finally {
    await Promise.all(daemons.map((daemon) => daemon.process.stop()));
    await server.stop();
  }
}

interface Recent {
  readonly target: Target;
  readonly input: FuzzCase;
}

/** State of a run: workers send cases while a loop watches the servers. */
class ServerFuzzing {
  readonly #run: ServerRun;
  readonly #server: TestApiServer;
  readonly #daemons: readonly FuzzedDaemon[];
  readonly #targets: readonly Target[];
  readonly #client: JsonClient;
  readonly #canary: Canary;
  readonly #log: LogReader;
  readonly #counts: Record<string, number> = {};
  readonly #rests: Rest[] = [];
  #recent: Recent[] = [];
  #keep: ReadonlySet<string> = new Set();
  #paused = false;
  #busy = 0;

  constructor(run: ServerRun, server: TestApiServer, daemons: readonly FuzzedDaemon[]) {
    this.#daemons = daemons;
    this.#run = run;
    this.#server = server;
    const ca = readFileSync(server.caFile);
    const { port, token } = server;
    const own = serverTargets(server).filter(({ name }) => run.targets.includes(name));
    this.#targets = [...own, ...daemons.map(({ target }) => eraseTarget(target))];
    this.#client = new JsonClient({ port, token, ca });
    this.#canary = new Canary(this.#client);
    this.#log = new LogReader(join(server.dir, "orch-apiserver.log"), [token]);
  }

  async run(): Promise<ServerResult> {
    await this.#prepare();
    const over = (): boolean => Date.now() >= this.#run.untilMs || this.#run.signal.aborted;
    const workers = Array.from({ length: this.#run.workers }, (_, i) => this.#work(i, over));
    let windowEnd = Date.now() + this.#run.windowMs;
    while (!over()) {
      await sleep(Math.min(2000, Math.max(100, this.#run.untilMs - Date.now())));
      await this.#watch();
      if (Date.now() >= windowEnd || over()) {
        await this.#rest();
        windowEnd = Date.now() + this.#run.windowMs;
      }
    }
    await Promise.all(workers);
    await this.#watch();
    this.#judgeMemory();
    this.#client.close();
    return { counts: this.#counts, rests: this.#rests };
  }

  async #prepare(): Promise<void> {
    await this.#client.send("POST", "/api/v1/namespaces", {
      kind: "Namespace",
      apiVersion: "v1",
      metadata: { name: fuzzNamespace },
    });
    this.#keep = await snapshot(this.#client);
  }

  async #work(worker: number, over: () => boolean): Promise<void> {
    for (let i = worker; !over(); i += this.#run.workers) {
      if (this.#paused) await sleep(50);
      else await this.#one(i);
    }
  }

  async #one(index: number): Promise<void> {
    const random = new Random(caseSeed(this.#run.seed, index));
    const target = random.pick(this.#targets);
    const input = target.generate(random);
    this.#recent.push({ target, input });
    if (this.#recent.length > RECENT) this.#recent.shift();
    this.#counts[target.name] = (this.#counts[target.name] ?? 0) + 1;
    this.#busy++;
    try {
      const message = await judgeServer(target, input);
      if (message === undefined || !this.#server.running || this.#run.findings.seen(target.name, message)) return;
      await this.#keepFinding(target, input, message);
    } finally {
      this.#busy--;
    }
  }

  /**
   * Checks whether the case fails again, shrinks it if so, and records the finding. Requests of other workers may
   * have been part of the cause.
   */
  async #keepFinding(target: Target, input: FuzzCase, message: string): Promise<void> {
    const key = findingKey(target.name, message);
    const fails = async (candidate: FuzzCase): Promise<boolean> =>
      findingKey(target.name, (await judgeServer(target, candidate)) ?? "") === key;
    const again = await fails(input);
    const small = again ? await minimize(input, fails, MINIMIZE_MS) : input;
    this.#run.findings.add({
      target: target.name,
      message: again ? message : `${message} (not reproducible)`,
      input: small,
    });
  }

  /** Checks the log, the processes and the canary. Restarts processes that have died. */
  async #watch(): Promise<void> {
    for (const line of this.#log.read()) this.#report("log", line, undefined);
    for (const { name, process } of this.#daemons) {
      if (process.running) continue;
      this.#report("crash", `${name} died: ${process.log(40)}`, undefined);
      await process.restart();
    }
    if (!this.#server.running) {
      await this.#revive();
      return;
    }
    try {
      const trouble = await this.#canary.check();
      if (trouble !== undefined) this.#report("canary", trouble, undefined);
    } catch (error) {
      if (this.#server.running) this.#report("canary", `no response: ${messageOf(error)}`, undefined);
    }
  }

  #report(target: string, message: string, input: FuzzCase | undefined): void {
    if (!this.#run.findings.seen(target, message)) this.#run.findings.add({ target, message, input });
  }

  /** Restarts the server after it died and repeats the last cases, latest first, to find the one that it died of. */
  async #revive(): Promise<void> {
    this.#paused = true;
    const suspects = this.#recent.splice(0).reverse();
    const message = `the server died: ${this.#server.log(40)}`;
    await this.#server.restart();
    let guilty: Recent | undefined;
    for (const suspect of suspects) {
      await judgeServer(suspect.target, suspect.input);
      await sleep(300);
      if (this.#server.running) continue;
      guilty = suspect;
      await this.#server.restart();
      break;
    }
    this.#report("crash", message, guilty === undefined ? undefined : { ...guilty.input, target: guilty.target.name });
    this.#paused = false;
  }

  /** Pauses the workers, deletes everything and measures memory and descriptors when nothing is going on. */
  async #rest(): Promise<void> {
    this.#paused = true;
    try {
      const giveUp = Date.now() + 40_000;
      while (this.#busy > 0 && Date.now() < giveUp) await sleep(100);
      const left = await cleanUp(this.#client, this.#keep);
      if (left.length > 0) this.#report("cleanup", `cannot be deleted: ${left.slice(0, 5).join("; ")}`, undefined);
      await sleep(3000);
      const rest = {
        memoryMib: Math.round(privateMemoryMib(this.#server.pid)),
        descriptors: openDescriptors(this.#server.pid),
      };
      this.#rests.push(rest);
      const total = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
      this.#run.print(
        `${new Date().toISOString()} ${total} server cases, at rest ${rest.memoryMib} MiB, ${rest.descriptors} descriptors`,
      );
    } catch (error) {
      if (this.#server.running) this.#report("cleanup", messageOf(error), undefined);
    } finally {
      this.#paused = false;
    }
  }

  /**
   * Compares memory and descriptors of the last third of the run with the second third. Memory at rest may rise while
   * caches fill (the first third); if it keeps rising, there is a leak. Uses the least value of each third, since
   * garbage may not have been collected in the others. Descriptors have to return to their number.
   */
  #judgeMemory(): void {
    const rests = this.#rests;
    if (rests.length < 6) return;
    const third = Math.floor(rests.length / 3);
    const least = (list: readonly Rest[], key: keyof Rest): number => Math.min(...list.map((rest) => rest[key]));
    const early = rests.slice(third, 2 * third);
    const late = rests.slice(2 * third);
    const [before, after] = [least(early, "memoryMib"), least(late, "memoryMib")];
    if (after > before * 1.3 + 50)
      this.#report("memory", `at rest ${before} MiB in the second third, ${after} MiB in the last`, undefined);
    const [few, more] = [least(early, "descriptors"), least(late, "descriptors")];
    if (more > few + 20)
      this.#report("descriptors", `at rest ${few} descriptors in the second third, ${more} in the last`, undefined);
  }
}

/** Checks one case. Failed connections are not findings. */
export async function judgeServer(target: Target, input: FuzzCase): Promise<string | undefined> {
  try {
    return await target.check(input);
  } catch (error) {
    const code = (error as { readonly code?: string }).code ?? "";
    // A refused connection says nothing about the input; a server that died is noticed by those who watch it.
    if (/^E[A-Z]+$/.test(code) || (error instanceof Error && error.name === "AbortError")) return undefined;
    return `the exchange failed: ${messageOf(error)}`;
  }
}
