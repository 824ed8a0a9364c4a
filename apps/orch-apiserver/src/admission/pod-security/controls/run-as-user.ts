import { type Control, containersThat, type PodLike, settersText } from "./control.ts";

function check({ spec }: PodLike) {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.runAsUser === 0);
  const setters = settersText(spec.securityContext?.runAsUser === 0, bad);
  return setters === "" ? undefined : { reason: "runAsUser=0", detail: `${setters} must not set runAsUser=0` };
}

/** Nobody asks for user 0. */
export const runAsUser: Control = { id: "runAsUser", level: "restricted", versions: [{ since: 23, check }] };
