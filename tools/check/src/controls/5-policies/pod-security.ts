import { type Control, judged, met, unknown, violated } from "../../control.ts";
import type { ContainerSecurity, Pod } from "../../evidence/evidence.ts";
import type { PodVariantName } from "../../evidence/pod-variants.ts";
import { nameAll, nameOf } from "../shared/object-control.ts";

const SOURCE = "pods created with dryRun";

type Texts = Pick<Control, "number" | "title" | "severity">;

const untried = unknown("pods cannot be tried: no namespace of users admits a harmless pod from this client");

/**
 * A control that requires a kind of pod to be rejected in every namespace of users. It asks the API server by dryRun rather than looking at
 * labels of namespaces: whatever rejects the pod, PodSecurity, a policy or a webhook, counts.
 */
const rejectedControl = (texts: Texts, variant: PodVariantName): Control => ({
  ...texts,
  remedy:
    "enforce level baseline: defaults of PodSecurity in the file of --admission-control-config-file, or label pod-security.orchernetes.io/enforce of each namespace",
  judge({ rejectedPods }) {
    if (rejectedPods.size === 0) return untried;
    const open = [...rejectedPods].filter(([, rejected]) => !rejected.has(variant)).map(([namespace]) => namespace);
    const found =
      open.length === 0 ? `rejected in all of ${rejectedPods.size} namespaces` : `admitted in ${nameAll(open)}`;
    return judged(open.length === 0, found, SOURCE);
  },
});

/** A control that requires a kind of pod to be rejected, or else that no existing pod is of this kind. */
const unusedControl = (
  texts: Texts,
  variant: PodVariantName,
  uses: (security: ContainerSecurity, pod: ContainerSecurity) => boolean,
): Control => ({
  ...texts,
  severity: "warn",
  remedy: "enforce level restricted where pods allow it: label pod-security.orchernetes.io/enforce of the namespace",
  judge({ rejectedPods, objects }) {
    if (rejectedPods.size === 0 || objects === undefined) return untried;
    const open = [...rejectedPods].filter(([, rejected]) => !rejected.has(variant)).map(([namespace]) => namespace);
    if (open.length === 0) return met(`rejected in all of ${rejectedPods.size} namespaces`, SOURCE);
    const found = objects.pods.filter(
      (pod) =>
        open.includes(pod.metadata.namespace ?? "") &&
        containersOf(pod).some((one) => uses(one, pod.spec.securityContext ?? {})),
    );
    return found.length === 0
      ? met(`admitted in ${nameAll(open)}, where no pod does so`, `${SOURCE}, and pods`)
      : violated(`pods: ${nameAll(found.map(nameOf))}`, `${SOURCE}, and pods`);
  },
});

const containersOf = ({ spec }: Pod): readonly ContainerSecurity[] =>
  [...spec.containers, ...(spec.initContainers ?? []), ...(spec.ephemeralContainers ?? [])].map(
    ({ securityContext = {} }) => securityContext,
  );

/** Whether a container gives up one of these capabilities. */
const drops = ({ capabilities }: ContainerSecurity, ...names: readonly string[]): boolean =>
  capabilities?.drop?.some((name) => names.includes(name)) === true;

/** Section 5.2: what pods may be. */
export const podSecurity: readonly Control[] = [
  {
    ...rejectedControl({ number: "5.2.1", title: "A policy decides which pods are admitted" }, "privileged"),
    remedy: "orch-apiserver: do not disable PodSecurity, and enforce a level by default",
  },
  rejectedControl({ number: "5.2.2", title: "Privileged containers are rejected" }, "privileged"),
  rejectedControl({ number: "5.2.3", title: "Pods in the host's process namespace are rejected" }, "hostPID"),
  rejectedControl({ number: "5.2.4", title: "Pods in the host's IPC namespace are rejected" }, "hostIPC"),
  rejectedControl({ number: "5.2.5", title: "Pods in the host's network are rejected" }, "hostNetwork"),
  unusedControl(
    { number: "5.2.6", title: "Containers cannot get more privileges than they start with" },
    "privilegeEscalation",
    ({ allowPrivilegeEscalation }) => allowPrivilegeEscalation !== false,
  ),
  unusedControl(
    { number: "5.2.7", title: "Containers do not run as root" },
    "root",
    ({ runAsNonRoot, runAsUser }, pod) =>
      (runAsNonRoot ?? pod.runAsNonRoot) !== true && !((runAsUser ?? pod.runAsUser ?? 0) > 0),
  ),
  unusedControl(
    { number: "5.2.8", title: "Containers cannot send raw packets" },
    "allCapabilities",
    (security) => !drops(security, "ALL", "NET_RAW"),
  ),
  rejectedControl({ number: "5.2.9", title: "Containers with added capabilities are rejected" }, "addedCapability"),
  unusedControl(
    { number: "5.2.10", title: "Containers have no capabilities" },
    "allCapabilities",
    (security) => !drops(security, "ALL"),
  ),
  rejectedControl({ number: "5.2.11", title: "Processes of a Windows host are rejected" }, "hostProcess"),
  rejectedControl({ number: "5.2.12", title: "Volumes of the host's files are rejected" }, "hostPath"),
  rejectedControl({ number: "5.2.13", title: "Ports of the host are rejected" }, "hostPort"),
];
