import { setTimeout as sleep } from "node:timers/promises";
import type { Registry } from "@orchernetes/apiserver";
import type { Logger } from "@orchernetes/kernel";
import type { Store } from "@orchernetes/storage";
import { type Config, isLoopback } from "../config.ts";
import { keyRoot } from "../storage/stores.ts";
import type { EndpointReconciler } from "./endpoint-reconciler.ts";
import { leaseReconciler } from "./lease-reconciler.ts";
import { masterCountReconciler } from "./master-count-reconciler.ts";

/** How long a server that stops may wait for its removal from the endpoints. */
const LEAVE_MS = 2000;

/** The reconciler that the flags ask for; undefined for none, and for a server that only its own host can reach. */
export function createEndpointReconciler(
  { flags, advertiseAddress: address }: Pick<Config, "flags" | "advertiseAddress">,
  { registry, store, port }: { readonly registry: Registry; readonly store: Store; readonly port: number },
): EndpointReconciler | undefined {
  const type = flags["endpoint-reconciler-type"];
  if (type === "none" || isLoopback(address)) return undefined;
  if (type === "master-count")
    return masterCountReconciler({ registry, address, port, count: flags["apiserver-count"] });
  return leaseReconciler({ registry, store, prefix: `${keyRoot}/masterleases/`, address, port });
}

/** Removes a server that stops from the endpoints, so that no new clients connect to it. */
export async function leaveEndpoints(endpoints: EndpointReconciler | undefined, logger: Logger): Promise<void> {
  if (endpoints === undefined) return;
  const removed = endpoints.remove().catch((error: unknown) => {
    logger.error(error, "This server's address could not be removed from the endpoints of the cluster's service");
  });
  await Promise.race([removed, sleep(LEAVE_MS, undefined, { ref: false })]);
}
