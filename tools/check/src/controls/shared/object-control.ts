import { type Control, type Finding, judged, unknown } from "../../control.ts";
import type { ApiObject, Evidence, Objects } from "../../evidence/evidence.ts";

/** More objects are counted, not named. */
const MAX_NAMED = 8;

/** Objects by kind and name, at most eight of them. */
export function nameAll(objects: readonly string[]): string {
  const rest = objects.length - MAX_NAMED;
  return rest <= 0 ? objects.join(", ") : `${objects.slice(0, MAX_NAMED).join(", ")} and ${rest} more`;
}

/** `namespace/name`, or `name`. */
export const nameOf = ({ metadata: { name, namespace } }: ApiObject): string =>
  namespace === undefined ? name : `${namespace}/${name}`;

/** A control about objects of the API: met if none is found that should not be there. */
export function objectControl({
  offenders,
  what,
  none,
  ...texts
}: Omit<Control, "judge"> & {
  /** Names of the objects that should not be there. */
  readonly offenders: (objects: Objects, evidence: Evidence) => readonly string[];
  /** What offenders are, such as `roles with wildcards`. */
  readonly what: string;
  /** What is found if there are none. */
  readonly none: string;
}): Control {
  return {
    ...texts,
    judge(evidence): Finding {
      if (evidence.objects === undefined) return unknown("the objects of the API cannot be read");
      const found = offenders(evidence.objects, evidence);
      return judged(found.length === 0, found.length === 0 ? none : `${what}: ${nameAll(found)}`, "objects of the API");
    },
  };
}
