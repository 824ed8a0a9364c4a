import type { Device, Init, Mount } from "@orchernetes/cri";
import type { ContainerAllocateResponse } from "./device-plugin-api.ts";

/** What a container gets with its devices, in the terms of the CRI. */
export interface DeviceOptions {
  readonly envs: ReadonlyMap<string, string>;
  readonly mounts: readonly Init<Mount>[];
  readonly devices: readonly Init<Device>[];
  readonly annotations: Readonly<Record<string, string>>;
  readonly cdiDevices: readonly { readonly name: string }[];
}

/** Those of a container without devices. */
export const noDeviceOptions: DeviceOptions = Object.freeze({
  ...{ envs: new Map(), mounts: [], devices: [], annotations: {}, cdiDevices: [] },
});

/** Combines the responses of plugins. Of several entries with the same name or path in the container, the first one is used. */
export function combineResponses(responses: readonly ContainerAllocateResponse[]): DeviceOptions {
  const backwards = responses.toReversed();
  return {
    envs: new Map(backwards.flatMap(({ envs }) => Object.entries(envs))),
    annotations: Object.fromEntries(backwards.flatMap(({ annotations }) => Object.entries(annotations))),
    mounts: firstOf(
      responses.flatMap(({ mounts }) => mounts),
      ({ containerPath }) => containerPath,
    ).map(({ containerPath, hostPath, readOnly }) => ({ containerPath, hostPath, readonly: readOnly })),
    devices: firstOf(
      responses.flatMap(({ devices }) => devices),
      ({ containerPath }) => containerPath,
    ),
    cdiDevices: firstOf(
      responses.flatMap(({ cdiDevices }) => cdiDevices),
      ({ name }) => name,
    ),
  };
}

function firstOf<T>(items: readonly T[], keyOf: (item: T) => string): readonly T[] {
  const found = new Map<string, T>();
  for (const item of items) if (!found.has(keyOf(item))) found.set(keyOf(item), item);
  return [...found.values()];
}
