import { fuzzNamespace } from "./environment.ts";
import type { JsonClient } from "./json-client.ts";

const path = `/api/v1/namespaces/${fuzzNamespace}/configmaps`;
const watched = ["/version", "/api", "/apis/apps"];
/** Members that a new ConfigMap has. Any other one would be inherited from a polluted prototype. */
const wanted = "apiVersion,creationTimestamp,data,kind,metadata,name,namespace,uid";

/** Watches responses that must never change, whatever others send. */
export class Canary {
  readonly #client: JsonClient;
  readonly #first = new Map<string, string>();

  constructor(client: JsonClient) {
    this.#client = client;
  }

  /**
   * Sends the requests. Returns what is wrong; undefined when all is well.
   * @throws Error when the server does not respond
   */
  async check(): Promise<string | undefined> {
    const alive = await this.#client.send("GET", "/livez");
    if (alive.code !== 200) return `/livez responds with ${alive.code}: ${alive.text.slice(0, 200)}`;
    for (const where of watched) {
      const { code, text } = await this.#client.send("GET", where);
      const first = this.#first.get(where);
      if (first === undefined) this.#first.set(where, text);
      else if (code === 200 && first !== text)
        return `${where} responds differently than at first: ${text.slice(0, 300)}`;
    }
    const body = { kind: "ConfigMap", apiVersion: "v1", metadata: { generateName: "canary-" }, data: { a: "b" } };
    const made = await this.#client.send("POST", `${path}?dryRun=All`, body);
    if (made.code !== 201)
      // Fuzzed objects such as quotas and priority levels may forbid or throttle the request.
      return made.code === 403 || made.code === 429
        ? undefined
        : `creating a canary returned ${made.code}: ${made.text.slice(0, 300)}`;
    const keys = new Set<string>();
    const value = JSON.parse(made.text, (key, member: unknown) => {
      if (key !== "" && key !== "managedFields" && key !== "generateName") keys.add(key);
      return key === "managedFields" ? undefined : member;
    }) as { readonly data?: unknown };
    if (JSON.stringify(value.data) !== '{"a":"b"}')
      return `the server returned a changed canary: ${made.text.slice(0, 300)}`;
    const found = [...keys].filter(
      (key) =>
        key !== "a" &&
        key !== "0" &&
        !wanted.split(",").includes(key) &&
        !/^[fvk]:|^\.$|manager|operation|time|fieldsType|fieldsV1/.test(key),
    );
    return found.length === 0 ? undefined : `a new object has unexpected members: ${found.join(", ")}`;
  }
}
