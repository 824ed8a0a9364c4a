import {
  type FieldError,
  type FieldPath,
  field,
  goStruct,
  isDns1123Label,
  isDns1123Subdomain,
  literal,
} from "@orchernetes/apimachinery";
import { report, requireText } from "../../../shared/report.ts";
import type { ResourceRequirements } from "../types/container.ts";
import type { ClaimSource, PodSpec } from "../types/pod.ts";

/**
 * The claims of a pod for resources that drivers allocate: named once each, with one source each (KEP-3063).
 *
 * @param owner name of the pod, which the names of claims created from templates start with; undefined in pod templates
 * @returns the names that containers may refer to
 */
export function validatePodResourceClaims(
  claims: NonNullable<PodSpec["resourceClaims"]>,
  owner: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): ReadonlySet<string> {
  const names = new Set<string>();
  for (const [i, { name, source }] of claims.entries()) {
    const at = path.index(i);
    if (requireText(errors, name, at, "name")) {
      if (names.has(name)) {
        errors.push(field.duplicate(at.child("name"), name));
      } else {
        validateName(name, source, owner, at, errors);
      }
      names.add(name);
    }
    validateSource(source, at.child("source"), errors);
  }
  return names;
}

function validateName(
  name: string,
  source: ClaimSource,
  owner: string | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  const messages = isDns1123Label(name);
  report(errors, messages, path, "name", name);
  if (messages.length === 0 && owner && source.resourceClaimTemplateName !== undefined) {
    const claim = `${owner}-${name}`;
    const messages = isDns1123Subdomain(claim).map((message) => `final ResourceClaim name: ${message}`);
    report(errors, messages, path, "name", claim);
  }
}

function validateSource(source: ClaimSource, path: FieldPath, errors: FieldError[]): void {
  const { resourceClaimName, resourceClaimTemplateName } = source;
  if (resourceClaimName !== undefined && resourceClaimTemplateName !== undefined) {
    const detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified";
    errors.push(field.invalid(path, shown(source), detail));
  }
  if (resourceClaimName === undefined && resourceClaimTemplateName === undefined) {
    const detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`";
    errors.push(field.invalid(path, shown(source), detail));
  }
  for (const part of ["resourceClaimName", "resourceClaimTemplateName"] as const) {
    const name = source[part];
    if (name !== undefined) report(errors, isDns1123Subdomain(name), path, part, name);
  }
}

function shown({ resourceClaimName, resourceClaimTemplateName }: ClaimSource) {
  const pointer = (name: string | undefined) => name ?? literal("(*string)(nil)");
  return goStruct("core.ClaimSource", {
    ResourceClaimName: pointer(resourceClaimName),
    ResourceClaimTemplateName: pointer(resourceClaimTemplateName),
  });
}

/** The pod's claims that a container uses: each once, and known to the pod. */
export function validateContainerClaims(
  claims: ResourceRequirements["claims"],
  known: ReadonlySet<string>,
  path: FieldPath,
  errors: FieldError[],
): void {
  const names = new Set<string>();
  for (const [i, { name }] of (claims ?? []).entries()) {
    const at = path.index(i);
    if (!name) {
      errors.push(field.required(at));
      continue;
    }
    if (names.has(name)) errors.push(field.duplicate(at, name));
    names.add(name);
    if (!known.has(name)) {
      const error = field.notFound(at, name);
      const list = known.size === 0 ? " which is empty" : `: ${[...known].sort().join(", ")}`;
      const detail = `must be one of the names in pod.spec.resourceClaims${list}`;
      errors.push({ ...error, message: `${error.message}: ${detail}` });
    }
  }
}
