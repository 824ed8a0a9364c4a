import { messageOf } from "@orchernetes/kernel";
import { AUTHENTICATED_GROUP } from "../user.ts";

/** A line of a policy file. Properties that the line does not set are empty. */
export interface AbacPolicy {
  /** Name of the user; if it is empty, any member of `group`. */
  readonly user: string;
  /** A group of the user; if it is empty, only `user` counts. If both are empty, the policy matches nobody. */
  readonly group: string;
  /** Whether the policy allows only `get`, `list` and `watch`. */
  readonly readonly: boolean;
  /** API group, or `*` for all; empty: the core group. */
  readonly apiGroup: string;
  /** Resource, or `*` for all. It includes the subresources. */
  readonly resource: string;
  /** Namespace, or `*` for all requests; empty: requests outside of namespaces. */
  readonly namespace: string;
  /** Path outside of the resource API, which may end in `*`. */
  readonly nonResourcePath: string;
}

/** The policies of a file. */
export interface AbacPolicyFile {
  readonly policies: readonly AbacPolicy[];
  /** Warnings about what is valid, but probably a mistake; one line each. */
  readonly warnings: readonly string[];
}

/** All errors of a policy file. */
export class PolicyFileError extends Error {
  override readonly name = "PolicyFileError";
  /** One line each. */
  readonly errors: readonly string[];

  constructor(errors: readonly string[]) {
    super(errors.join("\n"));
    this.errors = errors;
  }
}

const GROUP = "abac.authorization.orchernetes.io";
const V1BETA1 = `${GROUP}/v1beta1`;
const V0 = `${GROUP}/v0`;
const EXAMPLE = `want {"apiVersion":"${V1BETA1}","kind":"Policy","spec":{...}}`;

const TEXTS = ["user", "group", "apiGroup", "resource", "namespace", "nonResourcePath"] as const;
const V0_TEXTS = ["user", "group", "resource", "namespace"] as const;

type Json = Readonly<Record<string, unknown>>;
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Parses a policy file of mode ABAC. Each line is a JSON object; blank lines and lines that start with # are skipped. A line without
 * apiVersion and kind has the form v0: its properties are not in a `spec`, and absent ones match everything.
 *
 * @param origin name of the file in errors
 * @throws PolicyFileError with the errors of all lines
 */
export function parseAbacPolicyFile(text: string, origin: string): AbacPolicyFile {
  const policies: AbacPolicy[] = [];
  const errors: string[] = [];
  const warnings: string[] = [];
  let unversioned = 0;
  for (const [index, raw] of text.split("\n").entries()) {
    const line = raw.trim();
    if (line === "" || line.startsWith("#")) continue;
    const parsed = parseLine(line);
    const where = `${origin}, line ${index + 1}`;
    errors.push(...parsed.errors.map((error) => `${where}: ${error}`));
    warnings.push(...parsed.unknown.map((name) => `${where}: unknown field ${JSON.stringify(name)} is ignored`));
    if (parsed.policy !== undefined) policies.push(parsed.policy);
    if (parsed.unversioned) unversioned++;
  }
  if (errors.length > 0) throw new PolicyFileError(errors);
  if (unversioned > 0) warnings.push(`${origin} has ${unversioned} lines without apiVersion; ${EXAMPLE}`);
  return { policies, warnings };
}

interface ParsedLine {
  readonly policy?: AbacPolicy;
  readonly errors: readonly string[];
  /** Names of fields that are not fields of policies. */
  readonly unknown: readonly string[];
  readonly unversioned: boolean;
}

const failed = (error: string): ParsedLine => ({ errors: [error], unknown: [], unversioned: false });

function parseLine(line: string): ParsedLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return failed(`not valid JSON: ${messageOf(error)}; ${EXAMPLE}`);
  }
  if (!isObject(value)) return failed(`found no JSON object; ${EXAMPLE}`);
  const { apiVersion, kind, ...rest } = value;
  if (apiVersion === undefined && kind === undefined) return { ...v0Policy(rest), unversioned: true };
  if (kind !== "Policy") return failed(`found kind ${JSON.stringify(kind) ?? "none"}; want "Policy"`);
  if (apiVersion === V0) return { ...v0Policy(rest), unversioned: false };
  if (apiVersion !== V1BETA1)
    return failed(`found apiVersion ${JSON.stringify(apiVersion) ?? "none"}; want "${V1BETA1}"`);
  return { ...v1beta1Policy(rest), unversioned: false };
}

type ParsedPolicy = Omit<ParsedLine, "unversioned">;

function v1beta1Policy({ spec = {}, ...others }: Json): ParsedPolicy {
  if (!isObject(spec)) return { errors: ["field spec: want an object"], unknown: [] };
  const { texts, readonly, errors, unknown } = readProperties(spec, TEXTS, "spec.");
  const policy = { ...texts, readonly, ...(anyone(texts) && { user: "", group: AUTHENTICATED_GROUP }) };
  return { policy, errors, unknown: [...Object.keys(others), ...unknown] };
}

/** Absent properties match everything. A line that restricts neither namespace nor resource allows paths as well. */
function v0Policy(value: Json): ParsedPolicy {
  const { texts, readonly, errors, unknown } = readProperties(value, V0_TEXTS, "");
  const { user, group, resource, namespace } = texts;
  const all = anyone(texts) || (user === "" && group === "");
  const policy: AbacPolicy = {
    user: all ? "" : user,
    group: all ? AUTHENTICATED_GROUP : group,
    readonly,
    apiGroup: "*",
    resource: resource || "*",
    namespace: namespace || "*",
    nonResourcePath: resource === "" && namespace === "" ? "*" : "",
  };
  return { policy, errors, unknown };
}

const anyone = ({ user, group }: Pick<AbacPolicy, "user" | "group">): boolean => user === "*" || group === "*";

function readProperties<K extends string>(value: Json, names: readonly K[], prefix: string) {
  const errors: string[] = [];
  const read = (name: string, type: "string" | "boolean"): unknown => {
    const found = Object.hasOwn(value, name) ? value[name] : undefined;
    if (found === undefined || found === null) return undefined;
    if (typeof found === type) return found;
    errors.push(`field ${prefix}${name}: found ${JSON.stringify(found)}; want a ${type}`);
    return undefined;
  };
  const texts = Object.fromEntries(names.map((name) => [name, read(name, "string") ?? ""])) as Record<K, string>;
  const readonly = read("readonly", "boolean") === true;
  const known = new Set<string>([...names, "readonly"]);
  const unknown = Object.keys(value).flatMap((name) => (known.has(name) ? [] : [`${prefix}${name}`]));
  return { texts, readonly, errors, unknown };
}
