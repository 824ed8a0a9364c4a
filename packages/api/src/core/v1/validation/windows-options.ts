import { type FieldError, type FieldPath, field, isDns1123Subdomain } from "@orchernetes/apimachinery";
import { report } from "../../../shared/report.ts";
import type { PodSpec } from "../types/pod.ts";
import type { WindowsSecurityContextOptions } from "../types/security-context.ts";
import type { ValidationContext } from "./context.ts";

// Limits of Windows: NetBIOS names have at most 15 characters, DNS names 255, and names of local users 104.
const maxGmsaSpecKiB = 64;
const maxDomainLength = 256;
const maxUserLength = 104;
const dnsLabel = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?";
const dnsDomain = new RegExp(`^${dnsLabel}(?:\\.${dnsLabel})*$`);
const netBiosDomain = /^[^\\/:*?"<>|.][^\\/:*?"<>|]{0,14}$/;
const badUserCharacters = /["/\\:;|=,+*?<>@[\]]/;

/** Validates the options of a Windows container: group managed service account (KEP-689) and user name. */
export function validateWindowsOptions(
  options: WindowsSecurityContextOptions | undefined,
  path: FieldPath,
  errors: FieldError[],
): void {
  if (options === undefined) return;
  const { gmsaCredentialSpecName: name, gmsaCredentialSpec: spec, runAsUserName: user } = options;
  if (name !== undefined) report(errors, isDns1123Subdomain(name), path, "gmsaCredentialSpecName", name);
  if (spec === "") {
    errors.push(field.invalid(path.child("gmsaCredentialSpec"), spec, "gmsaCredentialSpec cannot be an empty string"));
  } else if (spec !== undefined && Buffer.byteLength(spec) > maxGmsaSpecKiB * 1024) {
    const detail = `gmsaCredentialSpec size must be under ${maxGmsaSpecKiB} KiB`;
    errors.push(field.invalid(path.child("gmsaCredentialSpec"), spec, detail));
  }
  if (user !== undefined) report(errors, userNameErrors(user), path, "runAsUserName", user);
}

/** Returns the errors of a user name, which has the form `DOMAIN\USER` or `USER`. */
function userNameErrors(name: string): readonly string[] {
  if (name === "") return ["runAsUserName cannot be an empty string"];
  if (/\p{Cc}/u.test(name)) return ["runAsUserName cannot contain control characters"];
  const parts = name.split("\\");
  if (parts.length > 2) return ["runAsUserName cannot contain more than one backslash"];
  const user = parts.at(-1) ?? "";
  return [...(parts.length === 2 ? domainErrors(parts[0] ?? "") : []), ...userErrors(user)];
}

/** Returns the errors of a domain, which is a NetBIOS or a DNS name. */
function domainErrors(domain: string): readonly string[] {
  const messages: string[] = [];
  if (domain.length >= maxDomainLength) {
    messages.push(`runAsUserName's Domain length must be under ${maxDomainLength} characters`);
  }
  if (!netBiosDomain.test(domain) && !dnsDomain.test(domain)) {
    messages.push("runAsUserName's Domain doesn't match the NetBios nor the DNS format");
  }
  return messages;
}

function userErrors(user: string): readonly string[] {
  const messages: string[] = [];
  if (user === "") {
    messages.push("runAsUserName's User cannot be empty");
  } else if (user.length > maxUserLength) {
    messages.push(`runAsUserName's User length must not be longer than ${maxUserLength} characters`);
  }
  if (/^[. ]+$/.test(user)) messages.push("runAsUserName's User cannot contain only periods or spaces");
  if (badUserCharacters.test(user)) {
    messages.push(`runAsUserName's User cannot contain the following characters: "/\\:;|=,+*?<>@[]`);
  }
  return messages;
}

/**
 * Validates host process containers (KEP-1981). Either all containers of a pod are such or none, since they run in the
 * host's namespaces and have none to share with others. They need the host's network, and a cluster that allows
 * privileged containers.
 *
 * @param spec - the pod's spec
 * @param path - path of the pod's spec
 * @param ctx - says whether the cluster allows privileged containers
 * @param errors - gets the errors
 */
export function validateHostProcess(
  spec: PodSpec,
  path: FieldPath,
  ctx: ValidationContext,
  errors: FieldError[],
): void {
  const ofPod = spec.securityContext?.windowsOptions?.hostProcess;
  let containers = 0;
  let hostProcesses = 0;
  for (const list of ["initContainers", "containers", "ephemeralContainers"] as const) {
    for (const [i, { securityContext }] of (spec[list] ?? []).entries()) {
      const own = securityContext?.windowsOptions?.hostProcess;
      containers++;
      if (own ?? ofPod) hostProcesses++;
      if (own !== undefined && ofPod !== undefined && own !== ofPod) {
        const at = path.child(list).index(i).child("securityContext", "windowsOptions", "hostProcess");
        const detail = `pod hostProcess value must be identical if both are specified, was ${ofPod}`;
        errors.push(field.invalid(at, own, detail));
      }
    }
  }
  if (hostProcesses === 0) return;
  if (hostProcesses !== containers) {
    const detail = "If pod contains any hostProcess containers then all containers must be HostProcess containers";
    errors.push(field.invalid(path, "", detail));
  }
  if (spec.hostNetwork !== true) {
    const detail = "hostNetwork must be true if pod contains any hostProcess containers";
    errors.push(field.invalid(path.child("hostNetwork"), false, detail));
  }
  if (!ctx.allowPrivileged) {
    errors.push(field.forbidden(path, "hostProcess containers are disallowed by cluster policy"));
  }
}
