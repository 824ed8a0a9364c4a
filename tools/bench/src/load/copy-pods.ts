import { randomUUID } from "node:crypto";
import { openEtcdStore } from "@orchernetes/storage";
import type { TestApiServer } from "@orchernetes/testkit";
import { NAMESPACE } from "./objects.ts";

/** By default etcd accepts at most 128 operations in one transaction. */
const PODS_PER_COMMIT = 100;
const COMMITS_AT_ONCE = 4;

/**
 * Writes copies of a stored pod directly to etcd, which is much faster than creating pods by requests. To the server these are writes of
 * another server. The label `tier` has ten values in turn.
 *
 * @param model the name of an existing pod
 * @param prefix the start of the names of the copies
 */
export async function copyPods(server: TestApiServer, model: string, prefix: string, count: number): Promise<void> {
  if (server.etcd === undefined) throw new Error("pods can be copied in etcd only");
  const store = await openEtcdStore({ servers: [server.etcd.url] });
  try {
    const folder = `/registry/pods/${NAMESPACE}/`;
    const found = await store.get(`${folder}${model}`);
    const text = found?.value.toString() ?? "";
    if (!text.startsWith("{"))
      throw new Error(`pod ${model} is stored as ${JSON.stringify(text.slice(0, 20))}, not JSON`);
    const copy = (n: number) => {
      const name = `${prefix}-${n}`;
      const value = text
        .replace(`"name":"${model}"`, `"name":"${name}"`)
        .replace(/"tier":"t\d"/, `"tier":"t${n % 10}"`)
        .replace(/"uid":"[^"]*"/, `"uid":"${randomUUID()}"`);
      return { type: "put", key: `${folder}${name}`, value: Buffer.from(value) } as const;
    };
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < count) {
        const from = next;
        next = Math.min(next + PODS_PER_COMMIT, count);
        await store.commit(
          [],
          Array.from({ length: next - from }, (_, index) => copy(from + index)),
        );
      }
    };
    await Promise.all(Array.from({ length: COMMITS_AT_ONCE }, work));
  } finally {
    await store.close();
  }
}
