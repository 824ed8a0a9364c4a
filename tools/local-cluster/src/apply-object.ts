import { setTimeout as sleep } from "node:timers/promises";
import { apiRequest } from "./api-probe.ts";
import type { Layout } from "./layout.ts";

/** How long a namespace of a new cluster may take to be there. */
const namespaceMs = 30_000;

/**
 * Creates or changes an object by server-side apply. Idempotent. Waits for the object's namespace.
 *
 * @param asked path of the object, the fields to set, and the name of the client certificate to use
 * @throws Error with the server's answer when that fails
 */
export async function applyObject(
  files: Layout,
  port: number,
  { path, object, as }: { readonly path: string; readonly object: object; readonly as: string },
): Promise<void> {
  for (const until = Date.now() + namespaceMs; ; ) {
    const { status, body } = await apiRequest(files, port, {
      method: "PATCH",
      path: `${path}?fieldManager=local-cluster&force=true`,
      contentType: "application/apply-patch+yaml",
      body: JSON.stringify(object),
      as,
    });
    if (status === 200 || status === 201) return;
    if (status !== 404 || Date.now() >= until)
      throw new Error(`applying ${path}: the API server answered ${status}: ${body}`);
    await sleep(100);
  }
}
