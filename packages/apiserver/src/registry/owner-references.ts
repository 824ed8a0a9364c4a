import type { ApiObject, Draft, OwnerReference } from "@orchernetes/apimachinery";

/** All fields of a reference, absent booleans apart from false, as upstream compares them. */
const identityOf = ({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }: OwnerReference): string =>
  JSON.stringify([apiVersion, kind, name, uid, controller ?? null, blockOwnerDeletion ?? null]);

/**
 * Merges owner references that are equal in all fields, and warns about the duplicate owners. It runs twice for a
 * write, and the warning says which of them found duplicates: the client sent them, or admission added them. Upstream:
 * `dedupOwnerReferencesAndAddWarning`.
 */
export function mergeOwnerReferences(
  { metadata }: Draft<ApiObject>,
  warn: (message: string) => void,
  when: "asReceived" | "afterAdmission",
): void {
  const references = metadata.ownerReferences;
  if (references === undefined || references.length < 2) return;
  const merged = new Map<string, Draft<OwnerReference>>();
  const duplicates: string[] = [];
  for (const reference of references) {
    const identity = identityOf(reference);
    if (merged.has(identity)) duplicates.push(reference.uid);
    else merged.set(identity, reference);
  }
  if (duplicates.length === 0) return;
  metadata.ownerReferences = [...merged.values()];
  const admitted = when === "afterAdmission" ? " after mutating admission happens" : "";
  /** Upstream's text. */
  warn(
    `.metadata.ownerReferences contains duplicate entries${admitted}; API server dedups owner references in 1.20+, and may ` +
      "reject such requests as early as 1.24; please fix your requests; " +
      `duplicate UID(s) observed: ${duplicates.join(", ")}`,
  );
}
