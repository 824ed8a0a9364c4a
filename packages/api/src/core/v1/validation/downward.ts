import { type FieldError, type FieldPath, field, isQualifiedName } from "@orchernetes/apimachinery";
import { requireText } from "../../../shared/report.ts";
import type { ObjectFieldSelector, ResourceFieldSelector } from "../types/environment.ts";

/** Fields of a pod that an environment variable can have as its value. */
export const envFieldPaths: readonly string[] = [
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
  "spec.nodeName",
  "spec.serviceAccountName",
  "status.hostIP",
  "status.podIP",
  "status.podIPs",
];

/** Fields of a pod that a file in a volume can have as its content. */
export const volumeFieldPaths: readonly string[] = [
  "metadata.annotations",
  "metadata.labels",
  "metadata.name",
  "metadata.namespace",
  "metadata.uid",
];

/** Every known field path, whether or not it is allowed in a place: the two cases have different errors. */
const knownFieldPaths: ReadonlySet<string> = new Set([
  ...envFieldPaths,
  ...volumeFieldPaths,
  "spec.restartPolicy",
  "spec.schedulerName",
  "status.phase",
]);

/** Splits `metadata.labels['app']` into path and key; undefined without a subscript. */
function subscripted(fieldPath: string): readonly [base: string, key: string] | undefined {
  if (!fieldPath.endsWith("']")) return undefined;
  const open = fieldPath.lastIndexOf("['", fieldPath.length - 4);
  return open < 0 ? undefined : [fieldPath.slice(0, open), fieldPath.slice(open + 2, -2)];
}

const resourceNames: readonly string[] = [
  "limits.cpu",
  "limits.ephemeral-storage",
  "limits.memory",
  "requests.cpu",
  "requests.ephemeral-storage",
  "requests.memory",
];
const hugePagePrefixes: readonly string[] = ["limits.hugepages-", "requests.hugepages-"];
const cpuDivisors: readonly string[] = ["1", "1m"];
const byteDivisors: readonly string[] = [
  "1",
  "1E",
  "1Ei",
  "1G",
  "1Gi",
  "1k",
  "1Ki",
  "1M",
  "1Mi",
  "1P",
  "1Pi",
  "1T",
  "1Ti",
].sort();

/** Validates a reference to a field of the pod: known, and allowed in this place. */
export function validateObjectFieldSelector(
  selector: ObjectFieldSelector,
  allowed: readonly string[],
  path: FieldPath,
  errors: FieldError[],
): void {
  const { apiVersion, fieldPath } = selector;
  if (!requireText(errors, apiVersion, path, "apiVersion") || !requireText(errors, fieldPath, path, "fieldPath")) {
    return;
  }
  const at = path.child("fieldPath");
  if (apiVersion !== "v1") {
    const detail = `error converting fieldPath: unsupported pod version: ${apiVersion}`;
    errors.push(field.invalid(at, fieldPath, detail));
    return;
  }
  const match = subscripted(fieldPath);
  if (match === undefined) {
    const name = fieldPath === "spec.host" ? "spec.nodeName" : fieldPath;
    if (!knownFieldPaths.has(name)) {
      const detail = `error converting fieldPath: field label not supported: ${fieldPath}`;
      errors.push(field.invalid(at, fieldPath, detail));
    } else if (!allowed.includes(name)) {
      errors.push(field.notSupported(at, name, allowed));
    }
    return;
  }
  const [base, key] = match;
  if (base !== "metadata.annotations" && base !== "metadata.labels") {
    const detail = `error converting fieldPath: field label does not support subscript: ${fieldPath}`;
    errors.push(field.invalid(at, fieldPath, detail));
    return;
  }
  for (const message of isQualifiedName(base === "metadata.annotations" ? key.toLowerCase() : key)) {
    errors.push(field.invalid(path, key, message));
  }
}

/**
 * Validates a reference to a container's requests or limits. In volumes the container must be named, since a volume
 * belongs to none.
 */
export function validateResourceFieldSelector(
  selector: ResourceFieldSelector,
  path: FieldPath,
  inVolume: boolean,
  errors: FieldError[],
): void {
  const { resource, divisor } = selector;
  if (inVolume && !selector.containerName) {
    errors.push(field.required(path.child("containerName")));
  } else if (!resource) {
    errors.push(field.required(path.child("resource")));
  } else if (!resourceNames.includes(resource) && !hugePagePrefixes.some((prefix) => resource.startsWith(prefix))) {
    errors.push(field.notSupported(path.child("resource"), resource, resourceNames));
  }
  if (!divisor || divisor === "0" || !resource) {
    return;
  }
  const divisors = resource.endsWith(".cpu") ? cpuDivisors : byteDivisors;
  if (!divisors.includes(divisor)) {
    errors.push(
      field.invalid(path.child("divisor"), resource, `only divisor's values ${divisors.join(", ")} are supported`),
    );
  }
}
