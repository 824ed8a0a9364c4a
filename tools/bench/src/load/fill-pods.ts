import type { TestApiServer } from "@orchernetes/testkit";
import type { CreateLoad, CreateOutcome } from "./create-load.ts";
import type { GetLoad, GetOutcome } from "./get-load.ts";
import { collectionPath } from "./objects.ts";
import { runLoad, targetOf } from "./run-load.ts";

/** Bytes of a pod in the list with which upstream's figures were measured: 24 MB for 10,600 pods. */
const POD_BYTES = 2264;

/** Creates pods that are as large in JSON as those of the upstream measurement. */
export async function fillPods(server: TestApiServer, count: number): Promise<void> {
  const target = targetOf(server);
  const load = { target, kind: "pod", connections: 16 } as const;
  await runLoad<CreateLoad, CreateOutcome>("create-load", { ...load, prefix: "probe", count: 1, padBytes: 1 });
  const path = `${collectionPath("pod")}/probe-0`;
  const probe = await runLoad<GetLoad, GetOutcome>("get-load", { target, path, connections: 1, timesEach: 1 });
  const padBytes = Math.max(0, POD_BYTES - probe.bodyBytes - 3);
  await runLoad<CreateLoad, CreateOutcome>("create-load", { ...load, prefix: "fill", count: count - 1, padBytes });
}
