import { CriError } from "../client/cri-error.ts";
import type { ContainerConfig } from "../v1/container.ts";
import type { PodSandboxConfig } from "../v1/sandbox.ts";
import type { SecurityProfile } from "../v1/security.ts";

const isPlain = "the process runtime runs containers as plain processes of the host";

/**
 * Rejects a sandbox that needs features which plain processes lack.
 *
 * @throws CriError NotFound for a runtime handler, InvalidArgument for kernel settings
 */
export function refuseUnsupportedSandbox(config: PodSandboxConfig, runtimeHandler: string): void {
  if (runtimeHandler !== "")
    throw new CriError("RunPodSandbox", "NotFound", `no runtime for "${runtimeHandler}" is configured; want ""`);
  const settings = Object.keys(config.linux?.sysctls ?? {});
  if (settings.length > 0)
    throw new CriError(
      "RunPodSandbox",
      "InvalidArgument",
      `found sysctls ${settings.map((name) => `"${name}"`).join(", ")}, but ${isPlain}, whose kernel settings they share; want none`,
    );
}

/**
 * Rejects a container with a security profile, which would not be applied.
 *
 * @throws CriError InvalidArgument
 */
export function refuseUnsupportedContainer(config: ContainerConfig): void {
  const { seccomp, apparmor } = config.linux?.securityContext ?? {};
  // RuntimeDefault may come from the node's configuration, and guarantees no specific restriction.
  if (seccomp?.profileType === "Localhost") refuse("seccomp", seccomp, '"RuntimeDefault" or "Unconfined"');
  if (apparmor !== undefined && apparmor.profileType !== "Unconfined") refuse("AppArmor", apparmor, '"unconfined"');
}

function refuse(kind: string, { profileType, localhostRef }: SecurityProfile, accepted: string): never {
  const name = localhostRef === "" ? "" : ` "${localhostRef}"`;
  throw new CriError(
    "CreateContainer",
    "InvalidArgument",
    `found ${kind} profile ${profileType}${name}, but ${isPlain}, without profiles; want ${accepted}`,
  );
}
