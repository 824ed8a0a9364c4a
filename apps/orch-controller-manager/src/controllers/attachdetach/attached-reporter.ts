import type { core } from "@orchernetes/api";
import { isNotFound, type Stored } from "@orchernetes/apimachinery";
import type { Client } from "@orchernetes/client";
import { nodes as nodesRef } from "../../shared/refs.ts";
import type { AttachView } from "./attach-view.ts";
import { parseUniqueName, uniqueVolumeName } from "./names.ts";

/**
 * Reports in the status of nodes which volumes are attached, so that agents mount only those. Writes of a node's status
 * follow each other, so that a volume that is about to be detached does not appear again.
 */
export class AttachedReporter {
  readonly #client: Client;
  readonly #view: AttachView;
  /** The uids of attachments that are about to be deleted. */
  readonly #leaving = new Set<string>();
  readonly #last = new Map<string, Promise<unknown>>();

  constructor(client: Client, view: AttachView) {
    this.#client = client;
    this.#view = view;
  }

  /**
   * Takes an attachment out of the report, until {@link forget}.
   *
   * @returns once that is written, the volumes that the node has in use at that time: what it does not use then, it does not begin to use
   *   any more
   * @throws ApiError
   */
  async withdraw(uid: string, node: string): Promise<readonly string[]> {
    this.#leaving.add(uid);
    const written = await this.#inTurn(node, () => this.#write(node, true));
    return written?.status.volumesInUse ?? [];
  }

  /** Must be called when an attachment is gone, or stays. */
  forget(uid: string): void {
    this.#leaving.delete(uid);
  }

  /** Writes the report of a node if it has changed. @throws ApiError */
  async report(node: string): Promise<void> {
    await this.#inTurn(node, () => this.#write(node, false));
  }

  #inTurn<T>(node: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(node) ?? Promise.resolve();
    const next = before.catch(() => undefined).then(work);
    this.#last.set(node, next);
    const end = (): void => {
      if (this.#last.get(node) === next) this.#last.delete(node);
    };
    next.then(end, end);
    return next;
  }

  /**
   * @param always even if the cached status says so already: the cache may be older than the last write
   * @returns the node as it was written; undefined if there was nothing to write, or the node is gone
   */
  async #write(name: string, always: boolean): Promise<Stored<core.Node> | undefined> {
    const node = this.#view.nodes.lister.byKey(name);
    if (node === undefined) return undefined;
    const reported = node.status.volumesAttached ?? [];
    // Volumes of other kinds were attached by other programs, which need their entries to detach them.
    const foreign = reported.filter((one) => parseUniqueName(one.name) === undefined);
    const volumesAttached = [...foreign, ...this.#attachedTo(name)];
    if (!always && namesOf(volumesAttached) === namesOf(reported)) return undefined;
    const { resourceVersion } = node.metadata;
    // Their entries must not return after they were removed: the write applies to the version that was read.
    const metadata = foreign.length === 0 ? {} : { metadata: { resourceVersion } };
    return this.#client
      .resource(nodesRef)
      .patch(name, { ...metadata, status: { volumesAttached } }, { type: "merge", subresource: "status" })
      .catch((error: unknown) => {
        if (!isNotFound(error)) throw error;
        return undefined;
      });
  }

  #attachedTo(node: string): readonly core.AttachedVolume[] {
    return this.#view.attachmentsOn(node).flatMap((attachment) => {
      const { metadata, status } = attachment;
      if (!status?.attached || metadata.deletionTimestamp !== undefined || this.#leaving.has(metadata.uid)) return [];
      const volume = this.#view.volumeOf(attachment);
      return volume === undefined ? [] : [{ name: uniqueVolumeName(volume), devicePath: "" }];
    });
  }
}

const namesOf = (attached: readonly core.AttachedVolume[]): string =>
  attached
    .map(({ name }) => name)
    .sort()
    .join("\n");
