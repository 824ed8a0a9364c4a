import type { core } from "@orchernetes/api";

/** A pod, or the template of pods: what controls look at. */
export interface PodLike {
  readonly metadata: { readonly annotations?: Readonly<Record<string, string>> | undefined };
  readonly spec: core.PodSpec;
}

/** Why a control forbids a pod. */
export interface Violation {
  /** A few words, such as `host namespaces`. */
  readonly reason: string;
  /** What is wrong with this pod, such as `hostNetwork=true`. */
  readonly detail: string;
}

/** A control as it is from one version of the standards on. */
export interface ControlVersion {
  /** Minor version: 22 is v1.22. */
  readonly since: number;
  /** Undefined: the pod is in order. */
  readonly check: (pod: PodLike) => Violation | undefined;
}

/** One control of the Pod Security Standards. */
export interface Control {
  readonly id: string;
  /** `baseline` controls are part of level restricted too. */
  readonly level: "baseline" | "restricted";
  /** By rising version. */
  readonly versions: readonly ControlVersion[];
  /** The baseline control that it takes the place of. */
  readonly replaces?: string;
}

type SecurityContext = NonNullable<core.Container["securityContext"]>;

/** What controls read of a container of any kind. */
export interface AnyContainer {
  readonly name: string;
  readonly securityContext?: SecurityContext | undefined;
  readonly ports?: core.Container["ports"];
}

/** Every container: those that initialize, the others, ephemeral ones. */
export function containersOf(spec: core.PodSpec): readonly AnyContainer[] {
  const { initContainers, containers, ephemeralContainers } = spec;
  if (!initContainers?.length && !ephemeralContainers?.length) return containers ?? [];
  return [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
}

/** Names of the containers that `isBad` finds. */
export const containersThat = (spec: core.PodSpec, isBad: (container: AnyContainer) => boolean): readonly string[] =>
  containersOf(spec)
    .filter(isBad)
    .map(({ name }) => name);

/** `"a", "b"`. */
export const quoted = (items: Iterable<string>): string => [...items].map((item) => `"${item}"`).join(", ");

/** In the order of their bytes, each once. */
export const sorted = (items: Iterable<string>): readonly string[] => [...new Set(items)].sort();

/** The word for so many. */
export const plural = (one: string, many: string, count: number): string => (count === 1 ? one : many);

/** `container "a"` or `containers "a", "b"`. */
export const containersText = (names: readonly string[]): string =>
  `${plural("container", "containers", names.length)} ${quoted(names)}`;

/** Who sets something: the pod, containers, or both; empty if nobody. */
export const settersText = (pod: boolean, containers: readonly string[]): string =>
  [...(pod ? ["pod"] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(" and ");

/** The check for pods that are not declared to run on Windows, where the fields do not exist. */
export const exceptOnWindows =
  (check: ControlVersion["check"]): ControlVersion["check"] =>
  (pod) =>
    pod.spec.os?.name === "windows" ? undefined : check(pod);
