import {
  type Control,
  containersText,
  containersThat,
  exceptOnWindows,
  type PodLike,
  quoted,
  sorted,
} from "./control.ts";

function check({ spec }: PodLike) {
  const keeping = containersThat(
    spec,
    ({ securityContext }) => !(securityContext?.capabilities?.drop ?? []).includes("ALL"),
  );
  const added: string[] = [];
  const adding = containersThat(spec, ({ securityContext }) => {
    const wrong = (securityContext?.capabilities?.add ?? []).filter((capability) => capability !== "NET_BIND_SERVICE");
    added.push(...wrong);
    return wrong.length > 0;
  });
  const details: string[] = [];
  if (keeping.length > 0) details.push(`${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`);
  if (adding.length > 0)
    details.push(
      `${containersText(adding)} must not include ${quoted(sorted(added))} in securityContext.capabilities.add`,
    );
  return details.length === 0 ? undefined : { reason: "unrestricted capabilities", detail: details.join("; ") };
}

/** Containers drop all capabilities, and add none but that of low ports. */
export const capabilitiesRestricted: Control = {
  id: "capabilities_restricted",
  level: "restricted",
  replaces: "capabilities_baseline",
  versions: [
    { since: 22, check },
    { since: 25, check: exceptOnWindows(check) },
  ],
};
