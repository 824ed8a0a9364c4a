import type { Client } from "@orchernetes/client";

/** Requests that write, by what they have written, such as `events` and `pods/status`. */
export type Writes = ReadonlyMap<string, number>;

const WRITING = new Set(["POST", "PUT", "PATCH", "APPLY", "DELETE"]);
const SERIES = /^apiserver_request_total\{(.*)\} (\S+)$/;

/** Reads how many requests of each kind an API server has answered since its start. */
export async function readWrites(client: Client): Promise<Writes> {
  return writesIn(String(await client.request({ method: "GET", path: "/metrics", accept: "text/plain" })));
}

/** The requests in a page of metrics that write. Pure. */
export function writesIn(page: string): Writes {
  const writes = new Map<string, number>();
  for (const line of page.split("\n")) {
    const [, text = "", count = ""] = SERIES.exec(line) ?? [];
    const labels = new Map([...text.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, value]));
    if (!WRITING.has(labels.get("verb") ?? "")) continue;
    const [resource = "", subresource = ""] = [labels.get("resource"), labels.get("subresource")];
    const key = subresource === "" ? resource : `${resource}/${subresource}`;
    writes.set(key, (writes.get(key) ?? 0) + Number(count));
  }
  return writes;
}

/** The requests between two readings of one server. Pure. */
export const writesBetween = (before: Writes, after: Writes): Writes =>
  new Map(
    [...after].map(([key, count]) => [key, count - (before.get(key) ?? 0)] as const).filter(([, count]) => count > 0),
  );
