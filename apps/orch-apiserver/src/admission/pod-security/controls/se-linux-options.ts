import {
  type AnyContainer,
  type Control,
  containersThat,
  type PodLike,
  plural,
  quoted,
  settersText,
  sorted,
} from "./control.ts";

const allowedTypes: readonly string[] = ["", "container_t", "container_init_t", "container_kvm_t"];

type Options = NonNullable<NonNullable<AnyContainer["securityContext"]>["seLinuxOptions"]>;

function check({ spec }: PodLike) {
  const bad: Options[] = [];
  const isBad = (options: Options | undefined): boolean => {
    if (options === undefined) return false;
    const { type = "", user, role } = options;
    if (allowedTypes.includes(type) && !user && !role) return false;
    bad.push(options);
    return true;
  };
  const ofPod = isBad(spec.securityContext?.seLinuxOptions);
  const containers = containersThat(spec, ({ securityContext }) => isBad(securityContext?.seLinuxOptions));
  const setters = settersText(ofPod, containers);
  if (setters === "") return undefined;
  const types = sorted(bad.map(({ type = "" }) => type).filter((type) => !allowedTypes.includes(type)));
  const data = [
    ...(types.length > 0 ? [`${plural("type", "types", types.length)} ${quoted(types)}`] : []),
    ...(bad.some(({ user }) => user) ? ["user may not be set"] : []),
    ...(bad.some(({ role }) => role) ? ["role may not be set"] : []),
  ];
  return {
    reason: "seLinuxOptions",
    detail: `${setters} set forbidden securityContext.seLinuxOptions: ${data.join("; ")}`,
  };
}

/** SELinux confines containers as usual. */
export const seLinuxOptions: Control = { id: "seLinuxOptions", level: "baseline", versions: [{ since: 0, check }] };
