import { ApiError } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { podVariants, variantPod } from "./pod-variants.ts";

/** Number of concurrent requests. */
const AT_ONCE = 8;

/** Whether the API server rejects the creation of an object, tried with dryRun. @throws errors other than rejections */
async function isRejected(client: Client, path: string, body: object): Promise<boolean> {
  try {
    await client.request({ method: "POST", path, query: { dryRun: "All" }, body });
    return false;
  } catch (error) {
    // Admission plugins respond with 403. A client that may not create pods at all gets it for the harmless pod as well.
    if (error instanceof ApiError && error.code === 403) return true;
    throw error;
  }
}

/**
 * Returns, for each namespace, the names of the pod variants that are rejected there. Namespaces that reject even the harmless pod, because
 * the client may not create pods there or a quota is used up, are omitted. Nothing is created.
 *
 * @throws ApiError for responses other than rejections
 */
export async function rejectedPods(
  client: Client,
  namespaces: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, ReadonlySet<string>>();
  for (const namespace of namespaces) {
    const path = `/api/v1/namespaces/${namespace}/pods`;
    if (await isRejected(client, path, variantPod({}))) continue;
    const rejected = new Set<string>();
    const waiting = Object.entries(podVariants);
    const work = async () => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift())
        if (await isRejected(client, path, variantPod(next[1]))) rejected.add(next[0]);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    found.set(namespace, rejected);
  }
  return found;
}
