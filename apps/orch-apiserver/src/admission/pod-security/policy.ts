import { type FieldError, field } from "@orchernetes/apimachinery";
import type { PodSecurityConfiguration } from "@orchernetes/config";

/** Prefix of the labels of namespaces, and of annotations of audit events. */
export const PREFIX = "pod-security.orchernetes.io/";

export const modes = ["enforce", "audit", "warn"] as const;
/** What becomes of a violation: a rejection, an audit annotation, a warning. */
export type Mode = (typeof modes)[number];

const levels = ["privileged", "baseline", "restricted"] as const;
/** By rising strictness. */
export type Level = (typeof levels)[number];

/** Minor version of the standards, such as 27 for v1.27. */
export type Version = number | "latest";

/** A level as it is at a version. */
export interface LevelVersion {
  readonly level: Level;
  readonly version: Version;
}

/** What applies to a namespace. */
export type Policy = Readonly<Record<Mode, LevelVersion>>;

/** `restricted:v1.27`. */
export const levelText = ({ level, version }: LevelVersion): string => `${level}:${versionText(version)}`;

/** `v1.27` or `latest`. */
export const versionText = (version: Version): string => (version === "latest" ? version : `v1.${version}`);

/** Positive if `a` is stricter than `b`. */
export const compareLevels = (a: Level, b: Level): number => levels.indexOf(a) - levels.indexOf(b);

export const isSameLevel = (a: LevelVersion, b: LevelVersion): boolean =>
  a.level === b.level && a.version === b.version;

/** Versions make no difference to privileged. */
const isEquivalent = (a: LevelVersion, b: LevelVersion): boolean =>
  isSameLevel(a, b) || (a.level === "privileged" && b.level === "privileged");

export const isEquivalentPolicy = (a: Policy, b: Policy): boolean =>
  modes.every((mode) => isEquivalent(a[mode], b[mode]));

export const isFullyPrivileged = (policy: Policy): boolean =>
  policy.enforce.level === "privileged" && policy.audit.level === "privileged" && policy.warn.level === "privileged";

function parseVersion(text: string): Version | undefined {
  if (text === "latest") return text;
  const minor = /^v1\.(0|[1-9]\d*)$/.exec(text)?.[1];
  return minor === undefined || !Number.isSafeInteger(Number(minor)) ? undefined : Number(minor);
}

/** The policy of namespaces without labels. */
export function defaultPolicy(defaults: PodSecurityConfiguration["defaults"] | undefined): Policy {
  const of = (mode: Mode): LevelVersion => ({
    level: defaults?.[mode] ?? "privileged",
    version: parseVersion(defaults?.[`${mode}-version`] ?? "latest") ?? "latest",
  });
  return { enforce: of("enforce"), audit: of("audit"), warn: of("warn") };
}

/** A policy, and the labels that could not be understood. */
export interface ParsedPolicy {
  readonly policy: Policy;
  readonly errors: readonly FieldError[];
}

/**
 * The policy that a namespace's labels ask for. What is not understood is restricted for enforce and privileged for the other modes, at
 * the latest version. A stricter enforce is warned about unless the labels say otherwise.
 */
export function policyOf(labels: Readonly<Record<string, string>> | undefined, defaults: Policy): ParsedPolicy {
  if (labels === undefined) return { policy: defaults, errors: [] };
  const errors: FieldError[] = [];
  const refuse = (label: string, value: string, detail: string) =>
    errors.push(
      field.invalid(
        field("metadata")
          .child("labels")
          .key(PREFIX + label),
        value,
        detail,
      ),
    );
  const given = new Set<string>();
  const parse = (mode: Mode): LevelVersion => {
    let { level, version } = defaults[mode];
    const levelLabel = labels[PREFIX + mode];
    if (levelLabel !== undefined) {
      const known = levels.find((one) => one === levelLabel);
      if (known === undefined) refuse(mode, levelLabel, `must be one of ${levels.join(", ")}`);
      // An enforced level that is not understood is no reason for a warning too.
      if (known !== undefined || mode !== "enforce") given.add(mode);
      level = known ?? (mode === "enforce" ? "restricted" : "privileged");
    }
    const versionLabel = labels[`${PREFIX}${mode}-version`];
    if (versionLabel !== undefined) {
      const known = parseVersion(versionLabel);
      if (known === undefined) refuse(`${mode}-version`, versionLabel, 'must be "latest" or "v1.x"');
      given.add(`${mode}-version`);
      version = known ?? "latest";
    }
    return { level, version };
  };
  const [enforce, audit] = [parse("enforce"), parse("audit")];
  let warn = parse("warn");
  if (!given.has("warn") && given.has("enforce") && compareLevels(enforce.level, warn.level) > 0)
    warn = { level: enforce.level, version: given.has("warn-version") ? warn.version : enforce.version };
  return { policy: { enforce, audit, warn }, errors };
}
