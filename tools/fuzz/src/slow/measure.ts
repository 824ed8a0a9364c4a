import { messageOf } from "@orchernetes/kernel";
import type { Probed, ProbedServer } from "./probed-server.ts";
import { collectionOf, nameOf, ofPresent, requestOf, type SlowCase, storedBody } from "./slow-case.ts";
import { resourceOf } from "./slow-resources.ts";

/** The measured cost of a case. */
export interface Measured {
  readonly input: SlowCase;
  /** CPU time of the longest turn, in milliseconds, scaled to an idle machine. */
  readonly worstMs: number;
  /** Garbage collection time in that turn, in milliseconds. */
  readonly gcMs: number;
  /** Scaling factor that CPU times were divided by. */
  readonly slowness: number;
  readonly status: number;
}

const maxBodyBytes = 3 * 1024 * 1024;
const yaml = { accept: "application/yaml" } as const;

/**
 * Sends a case and measures its cost. Deletes the object afterwards, so that cases do not influence each other.
 *
 * @param report - called for responses that are wrong, and for a server that does not respond; the server is
 *   restarted then
 * @returns undefined for a case that cannot be sent
 */
export async function measure(
  server: ProbedServer,
  input: SlowCase,
  report: (message: string) => void,
): Promise<Measured | undefined> {
  const request = requestOf(input);
  if (request === undefined || (request.body?.length ?? 0) > maxBodyBytes) return undefined;
  const collection = collectionOf(input);
  const one = `${collection}/${nameOf(resourceOf(input.resource))}`;
  try {
    const stored = storedBody(input);
    if (stored !== undefined) await server.send({ method: "POST", path: collection, headers: json, body: stored });
    const costs: Probed[] = [await server.send(request)];
    const { status } = costs[0] as Probed;
    const made = status < 300 && request.method !== "GET";
    // Reading the object back in YAML, the slowest form to write, may cost more than the request itself.
    if (made && request.method !== "DELETE") costs.push(await server.send({ method: "GET", path: one, headers: yaml }));
    if (made || ofPresent.has(input.form)) await clearAway(server, one);
    if (status >= 500 && status !== 503 && status !== 504) report(`${input.resource} ${input.form}: status ${status}`);
    const worst = costs.reduce((a, b) => (b.worstMs > a.worstMs ? b : a));
    const { slowness } = server;
    return { input, worstMs: worst.worstMs / slowness, gcMs: worst.gcMs / slowness, slowness, status };
  } catch (error) {
    const alive = server.server.running;
    const why = messageOf(error);
    report(
      `${input.resource} ${input.form}: ${alive ? `no response: ${why}` : `the server died: ${server.server.log(20)}`}`,
    );
    await server.restart();
    return undefined;
  }
}

const json = { "content-type": "application/json" } as const;

/** Deletes an object, regardless of its finalizers. */
async function clearAway(server: ProbedServer, path: string): Promise<void> {
  const { status, body } = await server.json("DELETE", `${path}?gracePeriodSeconds=0`);
  if (status >= 300 || body.includes('"kind":"Status"')) return;
  const patch = Buffer.from('{"metadata":{"finalizers":null}}');
  const headers = { "content-type": "application/merge-patch+json" };
  await server.send({ method: "PATCH", path, headers, body: patch });
}
