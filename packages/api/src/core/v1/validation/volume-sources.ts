import { type FieldError, type FieldPath, field, isDns1123Label, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { inRange } from "../../../shared/numbers.ts";
import { noBacksteps } from "../../../shared/paths.ts";
import { report, requireOneOf, requireText } from "../../../shared/report.ts";
import type { VolumeSource } from "../types/volume-sources.ts";
import { iscsiNameErrors } from "./iscsi-names.ts";

type SharedKind =
  | "awsElasticBlockStore"
  | "azureDisk"
  | "azureFile"
  | "cephfs"
  | "fc"
  | "flexVolume"
  | "flocker"
  | "gcePersistentDisk"
  | "glusterfs"
  | "hostPath"
  | "iscsi"
  | "nfs"
  | "photonPersistentDisk"
  | "portworxVolume"
  | "quobyte"
  | "rbd"
  | "scaleIO"
  | "storageos"
  | "vsphereVolume";

/**
 * The fields that a source has both in pods and in persistent volumes. In persistent volumes a secret reference may
 * name another namespace.
 */
type Common<T> = Omit<T, "secretRef"> & {
  readonly secretRef?: { readonly name?: string | undefined } | null | undefined;
};

type Validators = {
  readonly [K in SharedKind]: (
    source: Common<NonNullable<VolumeSource[K]>>,
    path: FieldPath,
    errors: FieldError[],
  ) => void;
};

const hostPathTypes: readonly string[] = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];
const cachingModes: readonly string[] = ["None", "ReadOnly", "ReadWrite"];
const azureDiskKinds: readonly string[] = ["Dedicated", "Managed", "Shared"];
const managedDiskUri =
  "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
const blobDiskUri = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
const maxTenantLength = 64;

/** Requires that all named fields of a source are not empty. */
const requireAll = (errors: FieldError[], source: object, path: FieldPath, ...names: readonly string[]): void => {
  for (const name of names) {
    requireText(errors, (source as Readonly<Record<string, string | undefined>>)[name], path, name);
  }
};

const requireMonitors = (errors: FieldError[], monitors: readonly string[] | undefined, path: FieldPath): void => {
  if ((monitors ?? []).length === 0) {
    errors.push(field.required(path.child("monitors")));
  }
};

/** Requires a name in a secret reference, if there is one. */
export function requireSecretName(
  reference: { readonly name?: string | undefined } | null | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (reference !== undefined && reference !== null && !reference.name) {
    errors.push(field.required(path.child("secretRef", "name")));
  }
}

/**
 * Validates the name of a CSI driver: a DNS subdomain of at most 63 characters, in which capital letters are allowed,
 * too.
 */
export function validateCsiDriverName(driver: string, path: FieldPath, errors: FieldError[]): void {
  const name = driver ?? "";
  if (name === "") {
    errors.push(field.required(path));
  }
  if (name.length > 63) {
    errors.push(field.tooLong(path, name, 63));
  }
  for (const message of isDns1123Subdomain(name.toLowerCase())) {
    errors.push(field.invalid(path, name, message));
  }
}

/**
 * Validators of the sources that exist both in pods and in persistent volumes, by field name. Each gets the path of its
 * own source, and appends its errors.
 */
export const sharedSourceValidators: Validators = {
  hostPath: (source, path, errors) => {
    if (requireText(errors, source.path, path, "path")) {
      errors.push(...noBacksteps(source.path, path.child("path")));
      requireOneOf(errors, source.type ?? "", hostPathTypes, path, "type");
    }
  },
  gcePersistentDisk: (source, path, errors) => {
    requireAll(errors, source, path, "pdName");
    errors.push(...inRange(source.partition, 0, 255, path.child("partition")));
  },
  awsElasticBlockStore: (source, path, errors) => {
    requireAll(errors, source, path, "volumeID");
    errors.push(...inRange(source.partition, 0, 255, path.child("partition")));
  },
  nfs: (source, path, errors) => {
    requireAll(errors, source, path, "server", "path");
    if (source.path && !source.path.startsWith("/")) {
      errors.push(field.invalid(path.child("path"), source.path, "must be an absolute path"));
    }
  },
  iscsi: (source, path, errors) => {
    requireAll(errors, source, path, "targetPortal", "iqn");
    if (source.iqn) {
      report(errors, iscsiNameErrors(source.iqn), path, "iqn", source.iqn);
    }
    errors.push(...inRange(source.lun, 0, 255, path.child("lun")));
    const chap = source.chapAuthDiscovery === true || source.chapAuthSession === true;
    if (chap && (source.secretRef === undefined || source.secretRef === null)) {
      errors.push(field.required(path.child("secretRef")));
    }
    requireSecretName(source.secretRef, path, errors);
    if (source.initiatorName !== undefined) {
      report(errors, iscsiNameErrors(source.initiatorName), path, "initiatorname", source.initiatorName);
    }
  },
  glusterfs: (source, path, errors) => requireAll(errors, source, path, "endpoints", "path"),
  flocker: (source, path, errors) => {
    const { datasetName, datasetUUID } = source;
    if (!datasetName && !datasetUUID) {
      errors.push(field.required(path, "one of datasetName and datasetUUID is required"));
    }
    if (datasetName && datasetUUID) {
      const detail = "datasetName and datasetUUID can not be specified simultaneously";
      errors.push(field.invalid(path, "resource", detail));
    }
    if (datasetName?.includes("/")) {
      errors.push(field.invalid(path.child("datasetName"), datasetName, "must not contain '/'"));
    }
  },
  rbd: (source, path, errors) => {
    requireMonitors(errors, source.monitors, path);
    requireAll(errors, source, path, "image");
  },
  cephfs: (source, path, errors) => requireMonitors(errors, source.monitors, path),
  quobyte: (source, path, errors) => {
    if (requireText(errors, source.registry, path, "registry")) {
      if ((source.tenant ?? "").length > maxTenantLength) {
        const detail = `must be a UUID and may not exceed a length of ${maxTenantLength} characters`;
        errors.push(field.required(path.child("tenant"), detail));
      } else if (source.registry.split(",").some((pair) => pair.split(":").length !== 2)) {
        const detail = "must be a host:port pair or multiple pairs separated by commas";
        errors.push(field.invalid(path.child("registry"), source.registry, detail));
      }
    }
    requireAll(errors, source, path, "volume");
  },
  fc: (source, path, errors) => {
    const names = (source.targetWWNs ?? []).length > 0;
    const ids = (source.wwids ?? []).length > 0;
    if (!names && !ids) {
      const detail = "must specify either targetWWNs or wwids, but not both";
      errors.push(field.required(path.child("targetWWNs"), detail));
    }
    if (names && ids) {
      const detail = "targetWWNs and wwids can not be specified simultaneously";
      errors.push(field.invalid(path.child("targetWWNs"), source.targetWWNs, detail));
    }
    if (names && source.lun === undefined) {
      errors.push(field.required(path.child("lun"), "lun is required if targetWWNs is specified"));
    }
    errors.push(...inRange(source.lun, 0, 255, path.child("lun")));
  },
  flexVolume: (source, path, errors) => {
    requireAll(errors, source, path, "driver");
    for (const key of Object.keys(source.options ?? {})) {
      const domain = key.split("/")[0] ?? "";
      if (key.includes("/") && (`.${domain}`.endsWith(".orchernetes.io") || `.${domain}`.endsWith(".o8s.io"))) {
        const detail = "orchernetes.io and o8s.io namespaces are reserved";
        errors.push(field.invalid(path.child("options").key(key), key, detail));
      }
    }
  },
  azureFile: (source, path, errors) => requireAll(errors, source, path, "secretName", "shareName"),
  vsphereVolume: (source, path, errors) => requireAll(errors, source, path, "volumePath"),
  photonPersistentDisk: (source, path, errors) => requireAll(errors, source, path, "pdID"),
  portworxVolume: (source, path, errors) => requireAll(errors, source, path, "volumeID"),
  azureDisk: (source, path, errors) => {
    requireAll(errors, source, path, "diskName", "diskURI");
    requireOneOf(errors, source.cachingMode ?? "ReadWrite", cachingModes, path, "cachingMode");
    requireOneOf(errors, source.kind ?? "Shared", azureDiskKinds, path, "kind");
    const managed = source.kind === "Managed";
    if (source.kind !== undefined && !source.diskURI.startsWith(managed ? "/subscriptions/" : "https://")) {
      errors.push(field.notSupported(path.child("diskURI"), source.diskURI, [managed ? managedDiskUri : blobDiskUri]));
    }
  },
  scaleIO: (source, path, errors) => requireAll(errors, source, path, "gateway", "system", "volumeName"),
  storageos: (source, path, errors) => {
    if (requireText(errors, source.volumeName, path, "volumeName") && source.volumeName !== undefined) {
      report(errors, isDns1123Label(source.volumeName), path, "volumeName", source.volumeName);
    }
    if (source.volumeNamespace) {
      report(errors, isDns1123Label(source.volumeNamespace), path, "volumeNamespace", source.volumeNamespace);
    }
    requireSecretName(source.secretRef, path, errors);
  },
};
