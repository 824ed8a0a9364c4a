import { betaOnByDefault, knownVersions, stageOf } from "./group-versions.ts";

/** Which built-in resources are served. */
export interface ApiEnablement {
  /** Whether a resource of a known group and version is served, if there is such a resource. */
  enabled(group: string, version: string, plural: string): boolean;
  /** Whether any resource of the version may be served: what a version is loaded for. */
  anyEnabled(group: string, version: string): boolean;
  /** Resources that are named individually, as `group/version/resource`. */
  readonly named: readonly string[];
}

/** Result of parsing `--runtime-config`: the switches, or one message for each error. */
export type RuntimeConfigResult = { readonly enablement: ApiEnablement } | { readonly errors: readonly string[] };

const whole = ["api/all", "api/ga", "api/beta", "api/alpha"] as const;
type Whole = (typeof whole)[number];

const isWhole = (key: string): key is Whole => (whole as readonly string[]).includes(key);

/** The texts of Go's `strconv.ParseBool`; a key without value is switched on. */
const booleans = new Map([
  ["", true],
  ...["1", "t", "T", "true", "TRUE", "True"].map((text) => [text, true] as const),
  ...["0", "f", "F", "false", "FALSE", "False"].map((text) => [text, false] as const),
]);

/** `key=value` pairs; of a repeated key the last one. A key alone has the value "". */
function pairsOf(texts: readonly string[]): ReadonlyMap<string, string> {
  const pairs = new Map<string, string>();
  for (const text of texts) {
    if (text.trim() === "") continue;
    const at = text.indexOf("=");
    if (at < 0) pairs.set(text.trim(), "");
    else pairs.set(text.slice(0, at).trim(), text.slice(at + 1).trim());
  }
  return pairs;
}

/** The switches while they are being set. Setting a version drops the earlier settings of its resources. */
class Switches {
  readonly versions = new Map<string, boolean>();
  readonly resources = new Map<string, boolean>();

  constructor() {
    for (const [group, versions] of Object.entries(knownVersions)) {
      for (const version of versions) this.versions.set(`${group}/${version}`, stageOf(version) === "ga");
    }
    for (const resource of betaOnByDefault) this.resources.set(resource, true);
  }

  setVersion(key: string, on: boolean): void {
    this.versions.set(key, on);
    for (const resource of this.resources.keys()) if (resource.startsWith(`${key}/`)) this.resources.delete(resource);
  }

  setWhole(key: Whole, on: boolean): void {
    for (const version of this.versions.keys()) {
      const stage = stageOf(version.slice(version.indexOf("/") + 1));
      if (key === "api/all" || key === `api/${stage}`) this.setVersion(version, on);
    }
  }
}

/** `v1` is the core group's version `/v1`. @returns undefined for keys of another form */
function partsOf(key: string): readonly [string, string, string?] | undefined {
  const [group, version, resource, ...more] = key === "v1" ? ["", "v1"] : key.split("/");
  if (group === undefined || version === undefined || version === "" || more.length > 0) return undefined;
  return resource === undefined ? [group, version] : [group, version, resource];
}

function readSwitch(key: string, value: string): boolean | string {
  return (
    booleans.get(value) ??
    `invalid value of ${key}: ${value}, err: strconv.ParseBool: parsing ${JSON.stringify(value)}: invalid syntax`
  );
}

/**
 * Parses `--runtime-config`. In order of increasing precedence: the defaults (stable versions on, others off),
 * `api/all`, `api/ga`, `api/beta`, `api/alpha`, `group/version`, `group/version/resource`. The order on the command
 * line does not matter. Setting a version overrides weaker settings of its resources.
 *
 * @param texts `key=value` pairs; `key` alone means `key=true`
 * @returns all errors, not only the first
 */
export function parseRuntimeConfig(texts: readonly string[]): RuntimeConfigResult {
  const pairs = pairsOf(texts);
  if (pairs.size === 1 && pairs.get("api/all") === "false") {
    return { errors: ["invalid key with only api/all=false: nothing would be served; switch something on as well"] };
  }
  const errors: string[] = [];
  const switches = new Switches();
  for (const key of whole) {
    const value = pairs.get(key);
    if (value === "true" || value === "false") switches.setWhole(key, value === "true");
    else if (value !== undefined) errors.push(`invalid value ${key}=${value}: it is true or false`);
  }
  const unknownGroups = new Set<string>();
  const resources: [string, boolean][] = [];
  for (const [key, value] of pairs) {
    if (isWhole(key)) continue;
    const parts = partsOf(key);
    if (parts === undefined) {
      errors.push(
        `runtime-config invalid key ${key}: want group/version, group/version/resource, v1 or ${whole.join(", ")}`,
      );
      continue;
    }
    const [group, version, resource] = parts;
    const versions = Object.hasOwn(knownVersions, group) ? knownVersions[group] : undefined;
    if (versions === undefined) {
      unknownGroups.add(group);
      continue;
    }
    if (!versions.includes(version)) {
      const name = group === "" ? version : `${group}/${version}`;
      errors.push(
        `group version ${name} that has not been registered; ${group || "the core group"} has ${versions.join(", ")}`,
      );
      continue;
    }
    const on = readSwitch(key, value);
    if (typeof on === "string") errors.push(on);
    else if (resource === undefined) switches.setVersion(`${group}/${version}`, on);
    else if (resource !== resource.toLowerCase()) {
      errors.push(
        `invalid key ${key}: group/version/resource and resource is always lowercase plural, not ${JSON.stringify(resource)}`,
      );
    } else resources.push([`${group}/${version}/${resource}`, on]);
  }
  if (unknownGroups.size > 0) errors.push(`unknown api groups ${[...unknownGroups].join(",")}`);
  if (errors.length > 0) return { errors };
  for (const [resource, on] of resources) switches.resources.set(resource, on);
  return {
    enablement: enablementOf(
      switches,
      resources.map(([resource]) => resource),
    ),
  };
}

function enablementOf({ versions, resources }: Switches, named: readonly string[]): ApiEnablement {
  return {
    enabled: (group, version, plural) =>
      resources.get(`${group}/${version}/${plural}`) ?? versions.get(`${group}/${version}`) ?? false,
    anyEnabled: (group, version) => {
      const key = `${group}/${version}`;
      if (versions.get(key) === true) return true;
      for (const [resource, on] of resources) if (on && resource.startsWith(`${key}/`)) return true;
      return false;
    },
    named,
  };
}
