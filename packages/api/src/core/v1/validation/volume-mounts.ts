import { type FieldError, type FieldPath, field } from "@orchernetes/apimachinery";
import { localDescendingPath, noBacksteps } from "../../../shared/paths.ts";
import { requireText } from "../../../shared/report.ts";
import type { VolumeDevice, VolumeMount } from "../types/container.ts";
import type { SecurityContext } from "../types/security-context.ts";
import type { Volume } from "../types/volume-sources.ts";

/** The fields of a container that the validation of its mounts needs. */
export interface MountingContainer {
  readonly volumeMounts?: readonly VolumeMount[] | undefined;
  readonly volumeDevices?: readonly VolumeDevice[] | undefined;
  readonly securityContext?: SecurityContext | undefined;
}

type Volumes = ReadonlyMap<string, Volume>;
const propagations: readonly string[] = ["Bidirectional", "HostToContainer", "None"];

/**
 * Validates the mounts of a container. Each refers to a volume of the pod and has a mount path of its own. As upstream
 * does, errors of sub paths and of mount propagation are reported at the list, without an index.
 */
export function validateVolumeMounts(
  container: MountingContainer,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldError[],
): void {
  const mounts = container.volumeMounts;
  if (mounts === undefined) {
    return;
  }
  const points = new Set<string>();
  for (const [i, mount] of mounts.entries()) {
    const { name, mountPath } = mount;
    requireText(errors, name, path.index(i), "name");
    if (!volumes.has(name ?? "")) {
      errors.push(field.notFound(path.index(i).child("name"), name ?? ""));
    }
    requireText(errors, mountPath, path.index(i), "mountPath");
    if (points.has(mountPath)) {
      errors.push(field.invalid(path.index(i).child("mountPath"), mountPath, "must be unique"));
    }
    points.add(mountPath);
    for (const device of container.volumeDevices ?? []) {
      if (device.devicePath === mountPath) {
        const detail = "must not already exist as a path in volumeDevices";
        errors.push(field.invalid(path.index(i).child("mountPath"), mountPath, detail));
      }
      if (device.name === name) {
        const detail = "must not already exist in volumeDevices";
        errors.push(field.invalid(path.index(i).child("name"), name, detail));
      }
    }
    validateSubPaths(mount, path, errors);
    if (mount.mountPropagation !== undefined) {
      validatePropagation(mount.mountPropagation, container, path.child("mountPropagation"), errors);
    }
  }
}

/** Validates that sub paths are relative and do not contain `..`: a mount must not leave its volume. */
function validateSubPaths(mount: VolumeMount, path: FieldPath, errors: FieldError[]): void {
  if (mount.subPath) {
    errors.push(...localDescendingPath(mount.subPath, path.child("subPath")));
  }
  if (mount.subPathExpr) {
    if (mount.subPath) {
      errors.push(
        field.invalid(path.child("subPathExpr"), mount.subPathExpr, "subPathExpr and subPath are mutually exclusive"),
      );
    }
    errors.push(...localDescendingPath(mount.subPathExpr, path.child("subPathExpr")));
  }
}

/**
 * Validates mount propagation. Bidirectional mounts become visible on the node, which only privileged containers may
 * do.
 */
function validatePropagation(
  propagation: string,
  { securityContext }: MountingContainer,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (!propagations.includes(propagation)) {
    errors.push(field.notSupported(path, propagation, propagations));
  } else if (propagation === "Bidirectional" && securityContext?.privileged !== true) {
    const detail = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(field.forbidden(path, detail));
  }
}

/**
 * Validates raw block devices. Only claims can provide them; each is used once, at a path of its own, and is not also
 * mounted.
 */
export function validateVolumeDevices(
  container: MountingContainer,
  volumes: Volumes,
  path: FieldPath,
  errors: FieldError[],
): void {
  const devicePaths = new Set<string>();
  const names = new Set<string>();
  const mountPaths = new Set(container.volumeMounts?.map(({ mountPath }) => mountPath));
  const mounted = new Set(container.volumeMounts?.map((mount) => mount.name));
  for (const [i, { name, devicePath }] of (container.volumeDevices ?? []).entries()) {
    const at = path.index(i);
    if (requireText(errors, name, at, "name")) {
      if (names.has(name)) {
        errors.push(field.invalid(at.child("name"), name, "must be unique"));
      }
      const volume = volumes.get(name);
      if (volume === undefined) {
        errors.push(field.notFound(at.child("name"), name));
      } else if (volume.persistentVolumeClaim === undefined && volume.ephemeral === undefined) {
        const detail = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
        errors.push(field.invalid(at.child("name"), name, detail));
      }
    }
    if (requireText(errors, devicePath, at, "devicePath")) {
      if (devicePaths.has(devicePath)) {
        errors.push(field.invalid(at.child("devicePath"), devicePath, "must be unique"));
      }
      errors.push(...noBacksteps(devicePath, at.child("devicePath")));
      if (mountPaths.has(devicePath)) {
        const detail = "must not already exist as a path in volumeMounts";
        errors.push(field.invalid(at.child("devicePath"), devicePath, detail));
      }
    }
    if (mounted.has(name)) {
      errors.push(field.invalid(at.child("name"), name, "must not already exist in volumeMounts"));
    }
    names.add(name);
    devicePaths.add(devicePath);
  }
}
