import type { core } from "@orchernetes/api";
import type { Init, PodSandboxConfig } from "@orchernetes/cri";
import { dottedSysctl } from "../admission/sysctls.ts";
import { gracePeriodAnnotation, podNameLabel, podNamespaceLabel, podUidLabel } from "../runtime/labels.ts";
import { identityOf } from "../types/pod-identity.ts";
import type { DnsConfig } from "./dns.ts";
import { namespacesOf, supplementalGroupsOf } from "./security-context.ts";

/** Maximum length of one DNS label (RFC 1123); a pod's name may be longer. */
const maxHostname = 63;

/** Maximum length of a host name in the kernel. */
const maxFullName = 64;

/**
 * The pod's host name: `spec.hostname`, or else the pod's name truncated to 63 characters. With `setHostnameAsFQDN`, it
 * is the fully qualified name.
 *
 * @throws Error if the FQDN is requested and longer than the kernel allows
 */
export function hostnameOf(pod: core.Pod, clusterDomain: string): string {
  const { hostname, subdomain, setHostnameAsFQDN } = pod.spec;
  const name = hostname || (pod.metadata.name ?? "").slice(0, maxHostname).replace(/[-.]+$/, "");
  if (!setHostnameAsFQDN || !subdomain) return name;
  const full = [name, subdomain, pod.metadata.namespace, "svc", clusterDomain].filter(Boolean).join(".");
  if (full.length > maxFullName)
    throw new Error(
      `the pod's full name "${full}" cannot be its host name: it has ${full.length} characters; want at most ${maxFullName}`,
    );
  return full;
}

/** The fully qualified name of the pod in the cluster's domain; undefined for a pod without `spec.subdomain`. */
export function fqdnOf(pod: core.Pod, clusterDomain: string): string | undefined {
  const { subdomain } = pod.spec;
  if (!subdomain) return undefined;
  return [
    hostnameOf({ ...pod, spec: { ...pod.spec, setHostnameAsFQDN: false } }, clusterDomain),
    subdomain,
    pod.metadata.namespace,
    "svc",
    clusterDomain,
  ]
    .filter(Boolean)
    .join(".");
}

/** The CRI configuration of the pod's sandbox. Pure. @throws Error when the requested host name is too long */
export function sandboxConfigOf(
  pod: core.Pod,
  options: {
    readonly attempt: number;
    readonly cgroupParent: string;
    readonly logDirectory: string;
    readonly clusterDomain: string;
    readonly dns: DnsConfig | undefined;
  },
): Init<PodSandboxConfig> {
  const { spec, metadata } = pod;
  const { uid, name, namespace } = identityOf(pod);
  const context = spec.securityContext;
  const containers = [...spec.containers, ...(spec.initContainers ?? [])];
  const privileged = containers.some((c) => c.securityContext?.privileged === true);
  const portMappings = spec.hostNetwork
    ? []
    : spec.containers.flatMap(({ ports = [] }) =>
        ports.map(({ containerPort, hostPort = 0, hostIP = "", protocol = "TCP" as const }) => ({
          containerPort,
          hostPort,
          hostIp: hostIP,
          protocol,
        })),
      );
  return {
    metadata: { name, namespace, uid, attempt: options.attempt },
    hostname: spec.hostNetwork ? "" : hostnameOf(pod, options.clusterDomain),
    logDirectory: options.logDirectory,
    ...(options.dns === undefined ? {} : { dnsConfig: options.dns }),
    portMappings,
    labels: { ...metadata.labels, [podNameLabel]: name, [podNamespaceLabel]: namespace, [podUidLabel]: uid },
    annotations: {
      ...metadata.annotations,
      [gracePeriodAnnotation]: String(spec.terminationGracePeriodSeconds ?? 30),
    },
    linux: {
      cgroupParent: options.cgroupParent,
      sysctls: Object.fromEntries((context?.sysctls ?? []).map(({ name, value }) => [dottedSysctl(name), value])),
      securityContext: {
        privileged,
        namespaceOptions: namespacesOf(spec),
        supplementalGroups: [...supplementalGroupsOf(context)],
        ...(context?.runAsUser === undefined ? {} : { runAsUser: context.runAsUser }),
        ...(context?.runAsGroup === undefined || context.runAsUser === undefined
          ? {}
          : { runAsGroup: context.runAsGroup }),
        ...(context?.seLinuxOptions === undefined ? {} : { selinuxOptions: context.seLinuxOptions }),
        // The pod's profile applies to its containers; the sandbox process may need system calls that it forbids.
        seccomp: { profileType: "RuntimeDefault" },
      },
    },
  };
}
