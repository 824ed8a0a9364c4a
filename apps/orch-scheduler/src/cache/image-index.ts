import type { core } from "@orchernetes/api";

/** Sizes in bytes of an image, by the slots of the nodes that have it. */
export type ImageSizes = ReadonlyMap<number, number>;

/** The nodes that have an image, by each of its names. */
export class ImageIndex {
  readonly #byName = new Map<string, Map<number, number>>();

  /** Replaces the images of a node. `before` and `after` are its versions; undefined: it was added or removed. */
  update(slot: number, before: core.Node | undefined, after: core.Node | undefined): void {
    if (before?.status.images === after?.status.images) return;
    for (const { names } of before?.status.images ?? [])
      for (const name of names ?? []) {
        const sizes = this.#byName.get(name);
        sizes?.delete(slot);
        if (sizes?.size === 0) this.#byName.delete(name);
      }
    for (const { names, sizeBytes } of after?.status.images ?? [])
      for (const name of names ?? []) {
        const sizes = this.#byName.get(name) ?? new Map<number, number>();
        this.#byName.set(name, sizes.set(slot, Number(sizeBytes ?? 0)));
      }
  }

  sizes(name: string): ImageSizes | undefined {
    return this.#byName.get(name);
  }
}
