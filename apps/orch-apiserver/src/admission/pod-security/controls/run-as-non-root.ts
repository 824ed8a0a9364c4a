import { type Control, containersText, containersThat, type PodLike, settersText } from "./control.ts";

function check({ spec }: PodLike) {
  const reason = "runAsNonRoot != true";
  const ofPod = spec.securityContext?.runAsNonRoot;
  const explicit = containersThat(spec, ({ securityContext }) => securityContext?.runAsNonRoot === false);
  const setters = settersText(ofPod === false, explicit);
  if (setters !== "") return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const implicit = containersThat(spec, ({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (implicit.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(implicit)} must set securityContext.runAsNonRoot=true` };
}

/** Nothing runs as root. */
export const runAsNonRoot: Control = { id: "runAsNonRoot", level: "restricted", versions: [{ since: 0, check }] };
