import { readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { fuzzNamespace } from "../server/environment.ts";
import { customDefinitions } from "./custom-kinds.ts";
import { limitedUser } from "./grow.ts";
import { probeSocketVariable, type TurnReport } from "./turn-probe.ts";

/** A request as it goes to the server. */
export interface ProbedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

/** The cost of a request. */
export interface Probed extends TurnReport {
  readonly status: number;
  readonly answer: string;
}

/** Environment variable with further options for the server's Node, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
const nodeOptionsVariable = "ORCH_PROBED_NODE_OPTIONS";

const TIMEOUT_MS = 30_000;
const SHOWN_BYTES = 2000;
/** What the yardstick takes on a machine of which the budget holds: one core of a usual server, with nothing else on it. */
const usualYardstickMs = 14;
/** One alone may have met a collection of garbage. */
const recentYardsticks = 6;

/** Many wide rules, and the right to make roles, for a user without other rights. */
function rightsOf(user: string): readonly (readonly [collection: string, object: object])[] {
  const apiGroup = "rbac.authorization.o8s.io";
  const root = `/apis/${apiGroup}/v1`;
  const names = (letter: string): string[] => Array.from({ length: 8 }, (_, i) => `${letter}${i}`);
  const wide = Array.from({ length: 100 }, (_, i) => ({
    apiGroups: [`x${i}`, ...names("g")],
    resources: names("r"),
    verbs: names("v"),
  }));
  const rules = [{ apiGroups: [apiGroup], resources: ["*"], verbs: ["get", "create", "update", "patch", "delete"] }];
  const roleRef = { apiGroup, kind: "ClusterRole", name: user };
  const subjects = [{ apiGroup, kind: "User", name: user }];
  return [
    [`${root}/clusterroles`, { metadata: { name: user }, rules: [...rules, ...wide] }],
    [`${root}/clusterrolebindings`, { metadata: { name: user }, roleRef, subjects }],
  ];
}

/** An API server whose event loop is measured. */
export class ProbedServer {
  readonly server: TestApiServer;
  readonly #socket: string;
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  readonly #ca: Buffer;
  readonly #yardsticks: number[] = [];

  private constructor(server: TestApiServer, socket: string) {
    this.server = server;
    this.#socket = socket;
    this.#ca = readFileSync(server.caFile);
  }

  /** Starts a server with every API, and the namespace that requests are about. */
  static async start(): Promise<ProbedServer> {
    const probe = new URL("./turn-probe.ts", import.meta.url).href;
    const server = await startApiServer({
      authorizationMode: "Node,RBAC",
      flags: ["--runtime-config=api/all=true", "--request-timeout=100s"],
      env: (dir) => ({
        NODE_OPTIONS: `--import=${probe} ${process.env[nodeOptionsVariable] ?? ""}`,
        [probeSocketVariable]: join(dir, "turns.sock"),
      }),
    });
    const probed = new ProbedServer(server, join(server.dir, "turns.sock"));
    const metadata = { name: fuzzNamespace };
    await probed.json("POST", "/api/v1/namespaces", { kind: "Namespace", apiVersion: "v1", metadata });
    const account = { kind: "ServiceAccount", apiVersion: "v1", metadata: { name: "default" } };
    await probed.json("POST", `/api/v1/namespaces/${fuzzNamespace}/serviceaccounts`, account);
    for (const definition of customDefinitions())
      await probed.json("POST", "/apis/apiextensions.o8s.io/v1/customresourcedefinitions", definition);
    for (const [collection, object] of rightsOf(limitedUser)) await probed.json("POST", collection, object);
    return probed;
  }

  /** How many times the CPU of the machine that the budget is for this one needs at present: others may share its caches. */
  get slowness(): number {
    return this.#yardsticks.length === 0 ? 1 : Math.max(1, Math.min(...this.#yardsticks) / usualYardstickMs);
  }

  #noteYardstick(ms: number | undefined): void {
    if (ms === undefined) return;
    this.#yardsticks.push(ms);
    if (this.#yardsticks.length > recentYardsticks) this.#yardsticks.shift();
  }

  /** Sends JSON and says what it cost. */
  json(method: string, path: string, body?: unknown): Promise<Probed> {
    return this.send({
      method,
      path,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
  }

  /** Sends a request and says what it cost. @throws Error when there is no answer */
  async send(request: ProbedRequest): Promise<Probed> {
    const { status, answer } = await this.#exchange(request).catch(async (error: unknown) => {
      // What it cost is not the next one's.
      if (this.server.running) await this.#turns();
      throw error;
    });
    const turns = await this.#turns();
    this.#noteYardstick(turns.yardstickMs);
    return { status, answer, ...turns };
  }

  #exchange({ method, path, headers, body }: ProbedRequest): Promise<{ status: number; answer: string }> {
    const { port, token } = this.server;
    return new Promise((resolve, reject) => {
      const request = https.request(
        {
          host: "127.0.0.1",
          port,
          ca: this.#ca,
          agent: this.#agent,
          method,
          path,
          headers: { authorization: `Bearer ${token}`, ...headers, ...(body && { "content-length": body.length }) },
          signal: AbortSignal.timeout(TIMEOUT_MS),
        },
        (response) => {
          let answer = "";
          response.on("data", (chunk: Buffer) => {
            if (answer.length < SHOWN_BYTES) answer += chunk.subarray(0, SHOWN_BYTES).toString();
          });
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, answer: answer.slice(0, SHOWN_BYTES) }));
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  #turns(): Promise<TurnReport> {
    return new Promise((resolve, reject) => {
      const connection = connect(this.#socket);
      let text = "";
      connection.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      connection.on("error", reject);
      connection.setTimeout(TIMEOUT_MS, () => connection.destroy(new Error("the event loop does not come to rest")));
      connection.on("end", () => resolve(JSON.parse(text) as TurnReport));
    });
  }

  /** Ends the server, however busy it is, and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.server.kill9();
    rmSync(this.#socket, { force: true });
    await this.server.restart();
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.server.stop();
  }
}
