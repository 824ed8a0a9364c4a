import type { MessageSchema } from "@orchernetes/apimachinery";

/** A struct that holds a field; the field is known to be there by its schema. */
export type Holder = Record<string, unknown>;

/** How the use of a feature is recognized and dropped, where that is more than "set" and "delete". */
export interface GateRule {
  /** Whether a value uses the feature. @default set and not empty */
  readonly uses?: (value: unknown) => boolean;
  /** Removes the use. @default deletes the field */
  readonly drop?: (holder: Holder, name: string) => void;
  /** Removes the struct that holds the field instead of the field. */
  readonly dropsHolder?: true;
  /** Fields below which nothing is dropped: other rules reject the field there. */
  readonly notBelow?: readonly string[];
}

const annotationPrefix = "container.apparmor.security.beta.orchernetes.io/";

/** Whether a value is set and not an empty list, map or text. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (typeof value !== "object") return true;
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

const keysOf = (value: unknown): readonly string[] =>
  Object.keys(value ?? {}).filter((key) => key.startsWith(annotationPrefix));

/** The rules of features whose fields are not simply dropped, by gate. */
export const gateRules: Readonly<Record<string, GateRule>> = {
  // The default is always set, so clients expect the field even without the feature.
  ProcMountType: {
    uses: (value) => isSet(value) && value !== "Default",
    drop: (holder, name) => {
      holder[name] = "Default";
    },
  },
  // Without the namespace the reference would mean another object.
  CrossNamespaceVolumeDataSource: { dropsHolder: true },
  // Validation rejects a readiness probe with it in any case.
  ProbeTerminationGracePeriod: { notBelow: ["readinessProbe"] },
  AppArmor: {
    uses: (value) => keysOf(value).length > 0,
    drop: (holder, name) => {
      const annotations = holder[name] as Holder;
      for (const key of keysOf(annotations)) delete annotations[key];
    },
  },
};

/**
 * Fields of a type that belong to a feature although the schema does not have the gate, by path from the type:
 * annotations.
 */
export function extraGates({
  pkg,
  name,
}: MessageSchema): readonly { readonly path: [string, string]; readonly gate: string }[] {
  const hasPod = pkg === "core/v1" && (name === "Pod" || name === "PodTemplateSpec");
  return hasPod ? [{ path: ["metadata", "annotations"], gate: "AppArmor" }] : [];
}
