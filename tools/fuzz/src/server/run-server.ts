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

/** What {@link runServer} does. */
export interface ServerRun {
  readonly targets: readonly string[];
  readonly store: "embedded" | "etcd";
  readonly seed: number;
  readonly untilMs: number;
  /** Requests in flight. */
  readonly workers: number;
  /** Time between two looks at memory, with everything deleted before. */
  readonly windowMs: number;
  readonly findings: Findings;
  readonly signal: AbortSignal;
  readonly print: (line: string) => void;
}

/** Memory and descriptors at rest, after everything was deleted. */
interface Rest {
  readonly memoryMib: number;
  readonly descriptors: number;
}

/** What a run against a server came to. */
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

/** Starts the API server that is fuzzed: with every API there is, and not much patience. */
export function startFuzzedServer(store: ServerRun["store"]): Promise<TestApiServer> {
  return startApiServer({
    store,
    authorizationMode: "Node,RBAC",
    flags: ["--runtime-config=api/all=true", "--request-timeout=20s"],
  });
}

const MINIMIZE_MS = 20_000;
const RECENT = 40;

/** Fuzzes an API server of its own until the time is over, watching its health, memory, descriptors and log. */
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
      await this.#look();
      if (Date.now() >= windowEnd || over()) {
        await this.#rest();
        windowEnd = Date.now() + this.#run.windowMs;
      }
    }
    await Promise.all(workers);
    await this.#look();
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

  async #keepFinding(target: Target, input: FuzzCase, message: string): Promise<void> {
    const key = findingKey(target.name, message);
    const fails = async (candidate: FuzzCase): Promise<boolean> =>
      findingKey(target.name, (await judgeServer(target, candidate)) ?? "") === key;
    const again = await fails(input);
    const small = again ? await minimize(input, fails, MINIMIZE_MS) : input;
    this.#run.findings.add({
      target: target.name,
      message: again ? message : `${message} (once, not again)`,
      input: small,
    });
  }

  async #look(): Promise<void> {
    for (const line of this.#log.look()) this.#report("log", line, undefined);
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
      const trouble = await this.#canary.look();
      if (trouble !== undefined) this.#report("canary", trouble, undefined);
    } catch (error) {
      if (this.#server.running) this.#report("canary", `no answer: ${messageOf(error)}`, undefined);
    }
  }

  #report(target: string, message: string, input: FuzzCase | undefined): void {
    if (!this.#run.findings.seen(target, message)) this.#run.findings.add({ target, message, input });
  }

  /** The server died: starts it again and finds out by which of the last cases. */
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

  /** Deletes everything, waits until nothing is going on, and takes a look at memory and descriptors. */
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

  /** Memory at rest may rise while caches fill; what goes on rising is a leak. Descriptors come back. */
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

/** Checks one case; failed connections are nobody's fault. */
export async function judgeServer(target: Target, input: FuzzCase): Promise<string | undefined> {
  try {
    return await target.check(input);
  } catch (error) {
    const code = (error as { readonly code?: string }).code ?? "";
    // What became of the server is found out by others; a refused connection says nothing about the input.
    if (/^E[A-Z]+$/.test(code) || (error instanceof Error && error.name === "AbortError")) return undefined;
    return `the exchange failed: ${messageOf(error)}`;
  }
}
