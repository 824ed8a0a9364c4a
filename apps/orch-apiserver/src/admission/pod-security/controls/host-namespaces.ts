import type { Control, PodLike } from "./control.ts";

function check({ spec }: PodLike) {
  const fields = ["hostNetwork", "hostPID", "hostIPC"] as const;
  const shared = fields.filter((field) => spec[field] === true).map((field) => `${field}=true`);
  return shared.length === 0 ? undefined : { reason: "host namespaces", detail: shared.join(", ") };
}

/** Pods share no namespaces with their node. */
export const hostNamespaces: Control = { id: "hostNamespaces", level: "baseline", versions: [{ since: 0, check }] };
