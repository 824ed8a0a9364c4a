import { uniqueVolumeName } from "@orchernetes/component-helpers";
import type { Paths } from "../util/paths.ts";
import { recordsOfPods, stagedRecords } from "./volume-record.ts";

/**
 * The attachable volumes that the node uses or is about to use, which the controller must not detach (`status.volumesInUse`). A volume
 * is in the list from before its first use until nothing of it is left on the node.
 */
export class VolumesInUse {
  readonly #names = new Set<string>();
  readonly #onChange: () => void;
  #isComplete = false;

  /** @param onChange called when the list has changed, so that the status is written soon */
  constructor(onChange: () => void) {
    this.#onChange = onChange;
  }

  /**
   * Adds what an earlier agent has left on the disk, except volumes whose records are damaged: their pods stay until they are unpublished,
   * and keep the volumes from being detached. Before that, the list of the Node's status must be kept as it is.
   */
  async restore(paths: Paths): Promise<void> {
    const all = [...(await recordsOfPods(paths)).values(), await stagedRecords(paths)];
    for (const { record } of all.flatMap(({ found }) => found)) {
      const { driverName: driver, volumeHandle: handle, attachmentID } = record;
      if (attachmentID !== "") this.#names.add(uniqueVolumeName({ driver, handle }));
    }
    this.#isComplete = true;
    this.#onChange();
  }

  add(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#onChange();
  }

  delete(name: string): void {
    if (this.#names.delete(name)) this.#onChange();
  }

  /** Sorted; undefined until {@link VolumesInUse.restore} has been done. */
  list(): readonly string[] | undefined {
    return this.#isComplete ? [...this.#names].sort() : undefined;
  }
}
