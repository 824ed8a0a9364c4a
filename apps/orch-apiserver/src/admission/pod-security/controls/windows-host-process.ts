import { type Control, containersThat, type PodLike, settersText } from "./control.ts";

function check({ spec }: PodLike) {
  const bad = containersThat(spec, ({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true);
  const setters = settersText(spec.securityContext?.windowsOptions?.hostProcess === true, bad);
  if (setters === "") return undefined;
  return { reason: "hostProcess", detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true` };
}

/** No container is a process of its Windows node. */
export const windowsHostProcess: Control = {
  id: "windowsHostProcess",
  level: "baseline",
  versions: [{ since: 0, check }],
};
