import { core } from "@orchernetes/api";
import { podReferences } from "./pod-references.ts";
import { volumeSecrets } from "./volume-secrets.ts";

/** A pod in the graph, with the objects that it refers to. */
interface KnownPod {
  readonly uid: string;
  readonly node: string;
  readonly refs: readonly string[];
}

/** A persistent volume in the graph. */
interface KnownVolume {
  /** `namespace/name` of the claim that the volume is bound to. */
  readonly claim: string;
  /** Keys `secrets/namespace/name`. */
  readonly secrets: readonly string[];
}

/**
 * Which node may read which object. There are edges from each object to the nodes with a pod that refers to it, from persistent volumes
 * to their claims, from secrets to the volumes that use them, and from volume attachments to their nodes. References are counted, so that a
 * permission ends with the last pod. Upstream has the same graph (`plugin/pkg/auth/authorizer/node/graph.go`).
 */
export class NodeGraph {
  readonly #pods = new Map<string, KnownPod>();
  readonly #readers = new Map<string, Map<string, number>>();
  readonly #volumes = new Map<string, KnownVolume>();
  /** Volumes by the secrets they name. */
  readonly #secretVolumes = new Map<string, Set<string>>();
  readonly #attachments = new Map<string, string>();

  /** A pod was added or changed. Pods without a node grant nothing, nor do mirror pods, because a node creates these itself. */
  setPod(pod: core.Pod): void {
    const key = `${pod.metadata.namespace ?? ""}/${pod.metadata.name ?? ""}`;
    const node = pod.spec.nodeName ?? "";
    const uid = pod.metadata.uid ?? "";
    const before = this.#pods.get(key);
    // The references of a bound pod never change, except by ephemeral containers. Most events only change the status.
    if (before?.node === node && before.uid === uid && !pod.spec.ephemeralContainers) return;
    this.deletePod(key);
    if (node === "" || pod.metadata.annotations?.[core.mirrorAnnotation] !== undefined) return;
    const refs = podReferences(pod);
    this.#pods.set(key, { uid, node, refs });
    for (const ref of refs) {
      const readers = this.#readers.get(ref) ?? new Map<string, number>();
      this.#readers.set(ref, readers);
      readers.set(node, (readers.get(node) ?? 0) + 1);
    }
  }

  /** A pod was deleted. @param key `namespace/name` */
  deletePod(key: string): void {
    const before = this.#pods.get(key);
    if (before === undefined) return;
    this.#pods.delete(key);
    for (const ref of before.refs) {
      const readers = this.#readers.get(ref);
      const count = (readers?.get(before.node) ?? 0) - 1;
      if (count > 0) readers?.set(before.node, count);
      else readers?.delete(before.node);
      if (readers?.size === 0) this.#readers.delete(ref);
    }
  }

  /** A persistent volume was added or changed. Volumes without a claim grant nothing. */
  setVolume({ metadata, spec }: core.PersistentVolume): void {
    const name = metadata.name ?? "";
    this.deleteVolume(name);
    const { claimRef } = spec;
    if (claimRef === undefined) return;
    const namespace = claimRef.namespace ?? "";
    const secrets = volumeSecrets(spec, namespace).map((secret) => `secrets/${secret}`);
    this.#volumes.set(name, { claim: `${namespace}/${claimRef.name ?? ""}`, secrets });
    for (const secret of secrets) {
      const volumes = this.#secretVolumes.get(secret) ?? new Set<string>();
      this.#secretVolumes.set(secret, volumes.add(name));
    }
  }

  deleteVolume(name: string): void {
    for (const secret of this.#volumes.get(name)?.secrets ?? []) {
      const volumes = this.#secretVolumes.get(secret);
      volumes?.delete(name);
      if (volumes?.size === 0) this.#secretVolumes.delete(secret);
    }
    this.#volumes.delete(name);
  }

  /** A volume attachment was added, changed or deleted. @param node where the volume is attached; undefined if it was deleted */
  setAttachment(name: string, node: string | undefined): void {
    if (node === undefined) this.#attachments.delete(name);
    else this.#attachments.set(name, node);
  }

  /** Whether a pod on the node refers to the object, or the object is an attachment to the node. */
  mayRead(node: string, resource: string, namespace: string, name: string): boolean {
    switch (resource) {
      case "persistentvolumes":
        return this.#readsVolume(node, name);
      case "volumeattachments":
        return this.#attachments.get(name) === node;
      default: {
        const key = `${resource}/${namespace}/${name}`;
        if (this.#readers.get(key)?.has(node)) return true;
        for (const volume of this.#secretVolumes.get(key) ?? []) if (this.#readsVolume(node, volume)) return true;
        return false;
      }
    }
  }

  #readsVolume(node: string, name: string): boolean {
    const volume = this.#volumes.get(name);
    return volume !== undefined && this.#readers.get(`persistentvolumeclaims/${volume.claim}`)?.has(node) === true;
  }
}
