import { readFileSync, rmSync } from "node:fs";
import https from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { startApiServer, type TestApiServer } from "@orchernetes/testkit";
import { fuzzNamespace } from "../server/environment.ts";
import { customDefinitions } from "./custom-kinds.ts";
import { limitedUser } from "./grow.ts";
import { probeSocketVariable, type TurnReport } from "./turn-probe.ts";

/** A request for the server. */
export interface ProbedRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | undefined;
}

/** The cost of a request, its status, and the start of the response body. */
export interface Probed extends TurnReport {
  readonly status: number;
  readonly body: string;
}

/** Environment variable with further options for the server's Node, such as `--cpu-prof --cpu-prof-dir=/tmp/profiles`. */
const nodeOptionsVariable = "ORCH_PROBED_NODE_OPTIONS";

const TIMEOUT_MS = 30_000;
const SHOWN_BYTES = 2000;
/**
 * CPU time of the yardstick, in milliseconds, on the machine for which the budget is meant: one idle core of a common
 * server.
 */
const usualYardstickMs = 14;
/** Yardsticks to remember. A single one may include a garbage collection. */
const recentYardsticks = 6;

/** A role with many wide rules and the right to write roles, and its binding, for a user without other rights. */
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

  /**
   * Starts a server with all APIs, the namespace for requests, the custom kinds and the limited user.
   * @throws Error when the server does not start
   */
  static async start(): Promise<ProbedServer> {
    const probe = new URL("./turn-probe.ts", import.meta.url).href;
    const server = await startApiServer({
      authorizationMode: "Node,RBAC",
      // What is found names functions of the sources.
      from: "source",
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

  /**
   * How many times more CPU this machine needs now than the one for which the budget is meant. At least 1. Other
   * processes share caches and memory bandwidth, so that even CPU time rises on a busy machine.
   */
  get slowness(): number {
    return this.#yardsticks.length === 0 ? 1 : Math.max(1, Math.min(...this.#yardsticks) / usualYardstickMs);
  }

  #noteYardstick(ms: number | undefined): void {
    if (ms === undefined) return;
    this.#yardsticks.push(ms);
    if (this.#yardsticks.length > recentYardsticks) this.#yardsticks.shift();
  }

  /**
   * Sends JSON and measures the cost.
   * @throws Error when there is no response
   */
  json(method: string, path: string, body?: unknown): Promise<Probed> {
    return this.send({
      method,
      path,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : Buffer.from(JSON.stringify(body)),
    });
  }

  /**
   * Sends a request and measures its cost.
   * @throws Error when there is no response within 30 s
   */
  async send(request: ProbedRequest): Promise<Probed> {
    const { status, body } = await this.#exchange(request).catch(async (error: unknown) => {
      // Resets the probe, so that the next request does not get the cost of this one.
      if (this.server.running) await this.#turns();
      throw error;
    });
    const turns = await this.#turns();
    this.#noteYardstick(turns.yardstickMs);
    return { status, body, ...turns };
  }

  #exchange({ method, path, headers, body }: ProbedRequest): Promise<{ status: number; body: string }> {
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
          let text = "";
          response.on("data", (chunk: Buffer) => {
            if (text.length < SHOWN_BYTES) text += chunk.subarray(0, SHOWN_BYTES).toString();
          });
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode ?? 0, body: text.slice(0, SHOWN_BYTES) }));
        },
      );
      request.on("error", reject);
      request.end(body);
    });
  }

  /** Reads the report of the probe and resets it. Waits until the server is idle. */
  #turns(): Promise<TurnReport> {
    return new Promise((resolve, reject) => {
      const connection = connect(this.#socket);
      let text = "";
      connection.on("data", (chunk: Buffer) => {
        text += chunk.toString();
      });
      connection.on("error", reject);
      connection.setTimeout(TIMEOUT_MS, () => connection.destroy(new Error("the event loop does not become idle")));
      connection.on("end", () => resolve(JSON.parse(text) as TurnReport));
    });
  }

  /** Kills the server, however busy it is, and starts it again on the same data. */
  async restart(): Promise<void> {
    await this.server.kill9();
    rmSync(this.#socket, { force: true });
    await this.server.restart();
  }

  /** Stops the server and closes connections. */
  async stop(): Promise<void> {
    this.#agent.destroy();
    await this.server.stop();
  }
}
