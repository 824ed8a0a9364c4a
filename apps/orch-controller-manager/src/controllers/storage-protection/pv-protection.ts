import { isNotFound } from "@orchernetes/apimachinery";
import { runWorkers, WorkQueue } from "@orchernetes/controller";
import type { ControllerContext, ControllerDescriptor } from "../../shared/context.ts";
import { persistentVolumes } from "../../shared/refs.ts";
import { finalizerChange, withFinalizer } from "./finalizer.ts";

/** Keeps volumes that are deleted until no claim is bound to them. */
export const pvProtectionController: ControllerDescriptor = {
  name: "pv-protection",
  serviceAccount: "pv-protection-controller",
  enabledByDefault: true,
  start: run,
};

const finalizer = "orchernetes.io/pv-protection";

async function run(context: ControllerContext): Promise<void> {
  const { client, clock, logger, signal } = context;
  const queue = new WorkQueue({ name: "pvprotection", clock, metrics: context.queueMetrics });
  const volumes = context.informers.informer(persistentVolumes);
  volumes.addHandler({
    onAdd: ({ metadata }) => queue.add(metadata.name),
    onUpdate: (_, { metadata }) => queue.add(metadata.name),
  });

  const sync = async (name: string): Promise<undefined> => {
    const volume = volumes.lister.byKey(name);
    if (volume === undefined) return;
    const change = finalizerChange(volume, finalizer, () => volume.status?.phase === "Bound");
    if (change === "keep") return;
    try {
      await client.resource(persistentVolumes).update(withFinalizer(volume, finalizer, change));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  await volumes.waitForSync(signal);
  await runWorkers({ name: "pv-protection", queue, workers: 1, sync, signal, logger, clock });
}
