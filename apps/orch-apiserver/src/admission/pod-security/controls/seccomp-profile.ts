import { goQuote } from "@orchernetes/apimachinery";
import {
  type Control,
  containersOf,
  containersText,
  containersThat,
  exceptOnWindows,
  type PodLike,
  plural,
  quoted,
  settersText,
  sorted,
} from "./control.ts";

const POD = "seccomp.security.alpha.orchernetes.io/pod";
const CONTAINER = "container.seccomp.security.alpha.orchernetes.io/";

const isAllowedValue = (value: string): boolean =>
  value === "runtime/default" || value === "docker/default" || value.startsWith("localhost/");

/** Until v1.18 profiles were annotations. */
function checkAnnotations({ metadata, spec }: PodLike) {
  const annotations = metadata.annotations ?? {};
  const bad = [POD, ...containersOf(spec).map(({ name }) => CONTAINER + name)].flatMap((key) => {
    const value = Object.hasOwn(annotations, key) ? annotations[key] : undefined;
    return value === undefined || isAllowedValue(value) ? [] : [`${key}=${goQuote(value)}`];
  });
  if (bad.length === 0) return undefined;
  const forbidden = sorted(bad);
  return {
    reason: "seccompProfile",
    detail: `forbidden ${plural("annotation", "annotations", forbidden.length)} ${forbidden.join(", ")}`,
  };
}

const isAllowedType = (type: string): boolean => type === "Localhost" || type === "RuntimeDefault";

function checkFields({ spec }: PodLike) {
  const types: string[] = [];
  const isBad = (type: string | undefined): boolean => {
    if (type === undefined || isAllowedType(type)) return false;
    types.push(type);
    return true;
  };
  const ofPod = isBad(spec.securityContext?.seccompProfile?.type);
  const containers = containersThat(spec, ({ securityContext }) => isBad(securityContext?.seccompProfile?.type));
  const setters = settersText(ofPod, containers);
  if (setters === "") return undefined;
  return {
    reason: "seccompProfile",
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}`,
  };
}

function checkSet(pod: PodLike) {
  const violation = checkFields(pod);
  if (violation !== undefined || pod.spec.securityContext?.seccompProfile !== undefined) return violation;
  const implicit = containersThat(pod.spec, ({ securityContext }) => securityContext?.seccompProfile === undefined);
  if (implicit.length === 0) return undefined;
  return {
    reason: "seccompProfile",
    detail: `pod or ${containersText(implicit)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

/** Seccomp is not switched off. */
export const seccompProfileBaseline: Control = {
  id: "seccompProfile_baseline",
  level: "baseline",
  versions: [
    { since: 0, check: checkAnnotations },
    { since: 19, check: checkFields },
  ],
};

/** Seccomp is switched on. */
export const seccompProfileRestricted: Control = {
  id: "seccompProfile_restricted",
  level: "restricted",
  replaces: "seccompProfile_baseline",
  versions: [
    { since: 19, check: checkSet },
    { since: 25, check: exceptOnWindows(checkSet) },
  ],
};
