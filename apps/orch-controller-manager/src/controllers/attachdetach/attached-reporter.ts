import type { core } from "@orchernetes/api";
import { isNotFound } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { nodes as nodesRef } from "../../shared/refs.ts";
import type { AttachView } from "./attach-view.ts";
import { csiVolumeOf, uniqueVolumeName } from "./names.ts";

/**
 * Reports in the status of nodes which volumes are attached, so that agents mount only those. Writes of a node's status
 * follow each other, so that a volume that is about to be detached does not appear again.
 */
export class AttachedReporter {
  readonly #client: Client;
  readonly #view: AttachView;
  /** The uids of attachments that are about to be deleted. */
  readonly #leaving = new Set<string>();
  readonly #last = new Map<string, Promise<void>>();

  constructor(client: Client, view: AttachView) {
    this.#client = client;
    this.#view = view;
  }

  /** Takes an attachment out of the report for good, and resolves when that is written. @throws ApiError */
  async withdraw(uid: string, node: string): Promise<void> {
    this.#leaving.add(uid);
    await this.#inTurn(node, () => this.#write(node, true));
  }

  /** Must be called when an attachment is gone. */
  forget(uid: string): void {
    this.#leaving.delete(uid);
  }

  /** Writes the report of a node if it has changed. @throws ApiError */
  report(node: string): Promise<void> {
    return this.#inTurn(node, () => this.#write(node, false));
  }

  #inTurn(node: string, work: () => Promise<void>): Promise<void> {
    const before = this.#last.get(node) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(work);
    this.#last.set(node, next);
    const end = (): void => {
      if (this.#last.get(node) === next) this.#last.delete(node);
    };
    next.then(end, end);
    return next;
  }

  /** @param always even if the cached status says so already: the cache may be older than the last write */
  async #write(name: string, always: boolean): Promise<void> {
    const node = this.#view.nodes.lister.byKey(name);
    if (node === undefined) return;
    const volumesAttached = this.#attachedTo(name);
    if (!always && namesOf(volumesAttached) === namesOf(node.status.volumesAttached ?? [])) return;
    await this.#client
      .resource(nodesRef)
      .patch(name, { status: { volumesAttached } }, { type: "merge", subresource: "status" })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
      });
  }

  #attachedTo(node: string): readonly core.AttachedVolume[] {
    return this.#view.attachmentsOn(node).flatMap(({ metadata, spec, status }) => {
      const object = this.#view.volumes.lister.byKey(spec.source.persistentVolumeName ?? "");
      const volume = object && csiVolumeOf(object);
      if (volume === undefined || !status?.attached) return [];
      if (metadata.deletionTimestamp !== undefined || this.#leaving.has(metadata.uid)) return [];
      return [{ name: uniqueVolumeName(volume), devicePath: "" }];
    });
  }
}

const namesOf = (attached: readonly core.AttachedVolume[]): string =>
  attached
    .map(({ name }) => name)
    .sort()
    .join("\n");
