import {
  type FieldError,
  type FieldPath,
  field,
  isDns1123Label,
  isDns1123Subdomain,
  validateLabelSelector,
} from "@orchernetes/apimachinery";
import { semanticEqual } from "../../../shared/immutable.ts";
import { report, requireOneOf, requireText } from "../../../shared/report.ts";
import { positiveQuantity, validateQuantity } from "../../../shared/resource-lists.ts";
import type { PersistentVolumeClaimSpec } from "../types/persistent-volume-claim.ts";
import { validateAccessModes } from "./access-modes.ts";
import type { ValidationContext } from "./context.ts";

const volumeModes: readonly string[] = ["Block", "Filesystem"];

/**
 * Validates the spec of a claim, also in templates of claims.
 *
 * @param old the stored spec on updates, for values that were valid when they were stored
 */
export function validateClaimSpec(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const modes = spec.accessModes ?? [];
  if (modes.length === 0) {
    errors.push(field.required(path.child("accessModes"), "at least 1 access mode is required"));
  }
  errors.push(...validateLabelSelector(spec.selector, path.child("selector")));
  validateAccessModes(modes, old?.accessModes, path.child("accessModes"), ctx, errors);
  const storage = spec.resources?.requests?.storage;
  if (storage === undefined) {
    errors.push(field.required(path.child("resources").key("storage")));
  } else {
    const at = path.child("resources").key("storage");
    const positive = positiveQuantity(storage, at);
    errors.push(...(positive.length > 0 ? positive : validateQuantity("storage", storage, at)));
  }
  if (spec.storageClassName) {
    report(errors, isDns1123Subdomain(spec.storageClassName), path, "storageClassName", spec.storageClassName);
  }
  if (spec.volumeMode !== undefined) {
    requireOneOf(errors, spec.volumeMode, volumeModes, path, "volumeMode");
  }
  validateDataSources(spec, old, path, errors);
}

type DataSource = NonNullable<PersistentVolumeClaimSpec["dataSourceRef"]>;
const sources = ["dataSource", "dataSourceRef"] as const;

/**
 * Validates the source of a volume in `dataSource`, in `dataSourceRef`, or in both, which must then be equal
 * (KEP-1495).
 */
function validateDataSources(
  spec: PersistentVolumeClaimSpec,
  old: PersistentVolumeClaimSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  for (const name of sources) {
    const source = spec[name];
    if (source !== undefined) {
      validateDataSource(source, old, path.child(name), errors);
    }
  }
  const { dataSource, dataSourceRef } = spec;
  if (dataSource === undefined || dataSourceRef === undefined) {
    return;
  }
  const refuse = (detail: string): void => {
    errors.push(field.invalid(path, String(path.child("dataSource")), detail));
  };
  if (dataSourceRef.namespace) {
    refuse("may not be specified when dataSourceRef.namespace is specified");
  } else if (!semanticEqual(dataSource, { ...dataSourceRef, namespace: undefined })) {
    refuse("must match dataSourceRef");
  }
}

const groupErrors = (source: DataSource | undefined): readonly string[] =>
  source?.apiGroup ? isDns1123Subdomain(source.apiGroup) : [];

/**
 * Validates one reference. An invalid group is accepted if the stored claim has one, as it was not always validated.
 */
function validateDataSource(
  source: DataSource,
  old: PersistentVolumeClaimSpec | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  requireText(errors, source.name, path, "name");
  requireText(errors, source.kind, path, "kind");
  if (!source.apiGroup && source.kind !== "PersistentVolumeClaim") {
    const detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
    errors.push(field.invalid(path, source.kind ?? "", detail));
  }
  const messages = groupErrors(source);
  if (messages.length > 0 && !sources.some((name) => groupErrors(old?.[name]).length > 0)) {
    report(errors, messages, path, "apiGroup", source.apiGroup);
  }
  if (source.namespace) {
    report(errors, isDns1123Label(source.namespace), path, "namespace", source.namespace);
  }
}
