import { createHash } from "node:crypto";
import { core } from "@orchernetes/api";
import {
  aggregate,
  cloneJson,
  type Draft,
  decoderFor,
  isObject,
  parseYaml,
  validateObjectMeta,
} from "@orchernetes/apimachinery";
import { stableJson } from "../types/container.ts";
import { hashAnnotation, seenAnnotation, sourceAnnotation } from "../types/pod-identity.ts";

/** The source of a static pod. */
export interface StaticOrigin {
  readonly source: "file" | "http";
  /** Path or URL. It is part of the hash, so that equal manifests in two files are two pods. */
  readonly location: string;
  readonly nodeName: string;
  /** Time when it was first seen, in RFC 3339. */
  readonly seen: string;
}

/** Valid uids: they are used as folder names and label values. */
const uidPattern = /^[A-Za-z0-9]([-A-Za-z0-9]{0,61}[A-Za-z0-9])?$/;

/**
 * Parses a manifest, which contains a Pod or a list of Pods. Each pod gets the node's name as a suffix of its name, a
 * uid that is the hash of its content, and a toleration of all NoExecute taints.
 *
 * @throws Error if the text is not a pod manifest, or the API server would reject it: names are used as path components
 */
export function parseStaticPods(text: string, origin: StaticOrigin): readonly core.Pod[] {
  const { value } = parseYaml(text);
  if (!isObject(value)) throw new Error("want a Pod or a PodList");
  if (value.kind === "Pod") return [staticPod(value, origin)];
  if (value.kind === "PodList" || value.kind === "List")
    return (Array.isArray(value.items) ? value.items : []).map((item) => staticPod(item, origin));
  throw new Error(`found kind ${JSON.stringify(value.kind)}; want Pod or PodList`);
}

function staticPod(document: unknown, origin: StaticOrigin): core.Pod {
  const { source, location, nodeName, seen } = origin;
  const pod = cloneJson(decoderFor(core.Pod).decode(document)) as Draft<core.Pod>;
  const { name = "", uid } = pod.metadata;
  if (name === "") throw new Error("metadata.name: Required value");
  if (uid && !uidPattern.test(uid))
    throw new Error(
      `metadata.uid: found ${JSON.stringify(uid)}; want at most 63 letters, digits and "-", which begin and end with a letter or digit`,
    );
  if (pod.spec.serviceAccountName) throw new Error("spec.serviceAccountName: a static pod can have none");
  core.defaultPod(pod);
  const hash = createHash("md5")
    .update(`${nodeName}\n${source}:${location}\n${stableJson(pod)}`)
    .digest("hex");
  pod.metadata = {
    ...pod.metadata,
    name: `${name}-${nodeName}`,
    namespace: pod.metadata.namespace || "default",
    uid: uid || hash,
    annotations: {
      ...pod.metadata.annotations,
      [hashAnnotation]: hash,
      [seenAnnotation]: seen,
      [sourceAnnotation]: source,
    },
  };
  pod.spec = {
    ...pod.spec,
    nodeName,
    tolerations: [...(pod.spec.tolerations ?? []), { operator: "Exists", effect: "NoExecute" }],
  };
  pod.status = { phase: "Pending" };
  const errors = [
    ...validateObjectMeta(pod.metadata, { namespaced: true, nameFormat: core.pods.strategy.nameFormat }),
    // The node's administrator wrote the manifest: privileged pods are allowed, features beyond the defaults are not.
    ...core.validatePod(pod, { allowPrivileged: true, featureEnabled: () => false }),
  ];
  if (errors.length > 0) throw new Error(`pod ${JSON.stringify(name)} is invalid: ${aggregate(errors)}`);
  return pod;
}
