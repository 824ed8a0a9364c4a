import { dirname } from "node:path";
import { type CriClient, containerStates, sandboxStates } from "@orchernetes/cri";
import { removeAbandonedTasks, type TaskPlaces, tasksPresent, unknownTasks } from "@orchernetes/cri/containerd";
import type { Clock, Logger } from "@orchernetes/kernel";

const minuteMs = 60_000;

/** What is read of the configuration that containerd 1.6 and 1.7 tell. */
interface ToldConfig {
  readonly containerdEndpoint?: string;
  readonly stateDir?: string;
  readonly containerd?: {
    readonly runtimes?: { readonly runc?: { readonly options?: { readonly Root?: string } } };
  };
}

/**
 * Where a containerd keeps its tasks, from what it says beside its status. Pure.
 *
 * @returns undefined if the runtime is another one, or does not tell
 */
export function toldPlaces(info: Readonly<Record<string, string>> | undefined): TaskPlaces | undefined {
  let config: ToldConfig | null;
  try {
    config = JSON.parse(info?.config ?? "null");
  } catch {
    return undefined;
  }
  const { containerdEndpoint: socket, stateDir, containerd } = config ?? {};
  if (typeof socket !== "string" || typeof stateDir !== "string") return undefined;
  const root = containerd?.runtimes?.runc?.options?.Root;
  // It is the folder of the CRI plugin in that of containerd.
  return { socket, state: dirname(stateDir), runcRoot: root || "/run/containerd/runc" };
}

/**
 * Removes, once a minute, the tasks that containerd has given up, with their shims: a call that does not end in time, or whose client goes
 * away, can leave them, and containerd does not look for them before it is started again. A task is removed if neither CRI nor containerd
 * itself has listed it for a minute. Resolves when the signal aborts.
 */
export async function collectGivenUpTasks({
  cri,
  clock,
  logger,
  signal,
}: {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly signal: AbortSignal;
}): Promise<void> {
  let unknownBefore: ReadonlySet<string> = new Set();
  while (!signal.aborted) {
    try {
      await clock.sleep(minuteMs, signal);
      const places = toldPlaces((await cri.runtime.status({ verbose: true })).info);
      if (places === undefined) return;
      const unknown = await unknownTasks(places, await notInCri(cri, await tasksPresent(places)));
      const removed = await removeAbandonedTasks(
        places,
        unknown.filter((id) => unknownBefore.has(id)),
      );
      if (removed.length > 0) logger.info("Removed tasks that containerd had given up", { tasks: removed });
      unknownBefore = new Set(unknown);
    } catch (error) {
      // A runtime that does not answer may be starting, and know more tasks then.
      unknownBefore = new Set();
      if (!signal.aborted) logger.v(2)?.info("Unable to look for tasks that containerd had given up", { error });
    }
  }
}

/** Those of the tasks that are no sandbox or container of CRI; usually there are none. */
async function notInCri({ runtime }: CriClient, ids: readonly string[]): Promise<readonly string[]> {
  const [sandboxes, { containers }] = await Promise.all([
    runtime.listPodSandbox({}, { view: sandboxStates() }),
    runtime.listContainers({}, { view: containerStates() }),
  ]);
  const known = new Set([...sandboxes.items, ...containers].map(({ id }) => id));
  return ids.filter((id) => !known.has(id));
}
