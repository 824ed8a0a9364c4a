import type { MessageSchema } from "@orchernetes/apimachinery";

/** A struct that holds a field; the field is known to be there by its schema. */
export type Holder = Record<string, unknown>;

/** How the fields of a feature are seen and dropped where that is more than "set" and "delete". */
export interface GateRule {
  /** Whether a value uses the feature. @default set and not empty */
  readonly uses?: (value: unknown) => boolean;
  /** Takes the use away. @default deletes the field */
  readonly drop?: (holder: Holder, name: string) => void;
  /** Removes the struct that holds the field instead of the field. */
  readonly dropsHolder?: true;
  /** Fields below which nothing is dropped: other rules reject the field there. */
  readonly notBelow?: readonly string[];
}

const annotationPrefix = "container.apparmor.security.beta.orchernetes.io/";

/** Set, and more than an empty list, map or text. */
export function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return false;
  if (typeof value !== "object") return true;
  return Array.isArray(value) ? value.length > 0 : Object.keys(value).length > 0;
}

const keysOf = (value: unknown): readonly string[] =>
  Object.keys(value ?? {}).filter((key) => key.startsWith(annotationPrefix));

/** Features whose fields are not simply dropped. */
export const gateRules: Readonly<Record<string, GateRule>> = {
  // Clients have been given the default for so long that its absence would surprise them.
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

/** Fields of types that belong to a feature although their schema does not say so, by path from the type. */
export function extraGates({
  pkg,
  name,
}: MessageSchema): readonly { readonly path: [string, string]; readonly gate: string }[] {
  const hasPod = pkg === "core/v1" && (name === "Pod" || name === "PodTemplateSpec");
  return hasPod ? [{ path: ["metadata", "annotations"], gate: "AppArmor" }] : [];
}
