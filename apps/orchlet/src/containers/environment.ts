import type { core } from "@orchernetes/api";
import { fieldValue, type PodFacts, resourceValue } from "../objects/field-refs.ts";
import type { ObjectReader } from "../objects/object-reader.ts";
import { createSizeLimit, expand } from "./expand.ts";
import { serviceVariables } from "./service-env.ts";

/** The container whose environment is built, and the sources of the values. */
export interface EnvironmentInput {
  readonly pod: core.Pod;
  readonly container: core.Container;
  readonly facts: PodFacts;
  readonly services: readonly core.Service[];
  readonly objects: ObjectReader;
  /** Called with the message of an `InvalidEnvironmentVariableNames` event if keys of `envFrom` are not valid names. */
  readonly onInvalidNames: (message: string) => void;
}

/** Names that `envFrom` accepts: C identifiers that may also contain dots and dashes. */
const validName = /^[-._a-zA-Z][-._a-zA-Z0-9]*$/;

/**
 * The environment variables of a container by name: those of services, then of `envFrom`, then of `env`. A later source
 * overrides an earlier one.
 *
 * @throws Error if an object or key that is not optional is missing, or the environment exceeds the kernel's limits
 */
export async function environmentOf(input: EnvironmentInput): Promise<ReadonlyMap<string, string>> {
  const { pod, container, services } = input;
  const { namespace = "" } = pod.metadata;
  const result = new Map<string, string>();
  // References can double the size of a value with each variable, and sources can name an object many times; the limit stops this before
  // memory is exhausted.
  const count = createSizeLimit("the environment");
  for (const source of container.envFrom ?? []) await addSource(input, source, result, count);
  const fromServices = new Map(serviceVariables(services, namespace, pod.spec.enableServiceLinks ?? true));
  for (const variable of container.env ?? []) {
    const value =
      variable.valueFrom === undefined
        ? expand(
            variable.value ?? "",
            (name) => result.get(name) ?? fromServices.get(name),
            `the value of variable ${variable.name}`,
          )
        : await referenced(input, variable.valueFrom);
    // The source is optional and missing: the variable stays unset.
    if (value === undefined) continue;
    count(value);
    result.set(variable.name, value);
  }
  // Variables of services come last in the map, but they never override the container's own.
  for (const [name, value] of fromServices) if (!result.has(name)) result.set(name, value);
  return result;
}

async function addSource(
  { pod, objects, onInvalidNames }: EnvironmentInput,
  { prefix = "", configMapRef, secretRef }: core.EnvFromSource,
  result: Map<string, string>,
  count: (text: string) => void,
): Promise<void> {
  const { namespace = "" } = pod.metadata;
  const ref = configMapRef ?? secretRef;
  if (ref === undefined) return;
  const name = ref.name ?? "";
  const data =
    configMapRef !== undefined
      ? (await objects.configMap(namespace, name))?.data
      : decoded((await objects.secret(namespace, name))?.data);
  const kind = configMapRef !== undefined ? "configmap" : "secret";
  if (data === undefined) {
    const exists =
      kind === "configmap" ? await objects.configMap(namespace, name) : await objects.secret(namespace, name);
    if (exists === undefined && ref.optional !== true) throw new Error(`${kind} "${name}" not found`);
    return;
  }
  const invalid: string[] = [];
  for (const [key, value] of Object.entries(data)) {
    count(prefix + key);
    count(value);
    if (validName.test(prefix + key)) result.set(prefix + key, value);
    else invalid.push(prefix + key);
  }
  if (invalid.length > 0) {
    const of = kind === "configmap" ? "configMap" : "secret";
    onInvalidNames(
      `Keys [${invalid.sort().join(", ")}] from the EnvFrom ${of} ${namespace}/${name} were skipped since they are considered invalid environment variable names.`,
    );
  }
}

async function referenced(
  { pod, container, facts, objects }: EnvironmentInput,
  source: core.EnvVarSource,
): Promise<string | undefined> {
  const { namespace = "" } = pod.metadata;
  const { fieldRef, resourceFieldRef, configMapKeyRef, secretKeyRef } = source;
  if (fieldRef !== undefined) return fieldValue(pod, fieldRef.fieldPath, facts);
  if (resourceFieldRef !== undefined) return resourceValue(pod, resourceFieldRef, container, facts);
  if (configMapKeyRef !== undefined) {
    const { name = "", key, optional } = configMapKeyRef;
    const map = await objects.configMap(namespace, name);
    if (map === undefined) return missing(optional, `configmap "${name}" not found`);
    if (!Object.hasOwn(map.data ?? {}, key))
      return missing(optional, `couldn't find key ${key} in ConfigMap ${namespace}/${name}`);
    return map.data?.[key];
  }
  if (secretKeyRef !== undefined) {
    const { name = "", key, optional } = secretKeyRef;
    const secret = await objects.secret(namespace, name);
    if (secret === undefined) return missing(optional, `secret "${name}" not found`);
    if (!Object.hasOwn(secret.data ?? {}, key))
      return missing(optional, `couldn't find key ${key} in Secret ${namespace}/${name}`);
    // Only the one: a container may refer to many keys of a large secret.
    return Buffer.from(String(secret.data?.[key]), "base64").toString("utf8");
  }
  return "";
}

function missing(optional: boolean | undefined, message: string): undefined {
  if (optional === true) return undefined;
  throw new Error(message);
}

function decoded(data: core.Secret["data"]): Readonly<Record<string, string>> | undefined {
  if (data === undefined) return undefined;
  return Object.fromEntries(
    Object.entries(data).map(([key, value]) => [key, Buffer.from(String(value), "base64").toString("utf8")]),
  );
}
