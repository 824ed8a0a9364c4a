import { core } from "@orchernetes/api";
import { type Draft, generateName, isNotFound } from "@orchernetes/apimachinery";
import type { AdmissionAttributes, AdmissionContext, AdmissionPlugin } from "@orchernetes/apiserver";
import { podReferences } from "../authorization/node/pod-references.ts";
import { enforcesMountableSecrets, secretRefusal } from "./mountable-secrets.ts";
import { isAbout, objectsAs, podDraft, refusal } from "./shared/attributes.ts";

const TOKEN_MOUNT_PATH = "/var/run/secrets/orchernetes.io/serviceaccount";
const TOKEN_VOLUME_PREFIX = "orch-api-access-";
/** An hour and a few seconds: it marks tokens that were injected rather than requested, so that their life may be extended. */
const TOKEN_EXPIRATION_SECONDS = 3607;

type PodSpec = Draft<core.PodSpec>;

function findAccount(
  namespace: string,
  name: string,
  context: AdmissionContext,
): core.ServiceAccount | Promise<core.ServiceAccount> {
  const store = context.registry.forDefinition(core.serviceAccounts);
  const ref = { namespace, name };
  return store.cached(ref) ?? store.get(ref, { signal: context.signal });
}

/** The volume that brings token, cluster CA and namespace into a container. */
function tokenVolume(name: string): Draft<core.Volume> {
  return {
    name,
    projected: {
      defaultMode: 0o644,
      sources: [
        { serviceAccountToken: { path: "token", expirationSeconds: TOKEN_EXPIRATION_SECONDS } },
        { configMap: { name: "orch-root-ca.crt", items: [{ key: "ca.crt", path: "ca.crt" }] } },
        {
          downwardAPI: {
            items: [{ path: "namespace", fieldRef: { apiVersion: "v1", fieldPath: "metadata.namespace" } }],
          },
        },
      ],
    },
  };
}

/** Gives every container without its own mount at the token path one of the volume, which is made if need be. */
function mountToken(spec: PodSpec): void {
  const existing = spec.volumes?.find((v) => v.name.startsWith(TOKEN_VOLUME_PREFIX));
  const volumeName = existing?.name ?? generateName(TOKEN_VOLUME_PREFIX);
  let needed = false;
  for (const container of [...(spec.initContainers ?? []), ...spec.containers]) {
    if (container.volumeMounts?.some((m) => m.mountPath === TOKEN_MOUNT_PATH)) continue;
    container.volumeMounts = [
      ...(container.volumeMounts ?? []),
      { name: volumeName, readOnly: true, mountPath: TOKEN_MOUNT_PATH },
    ];
    needed = true;
  }
  if (needed && existing === undefined) spec.volumes = [...(spec.volumes ?? []), tokenVolume(volumeName)];
}

/** What a pod has from its account. */
function applyAccount(spec: PodSpec, account: core.ServiceAccount): void {
  const automount = spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true;
  if (automount) mountToken(spec);
  if (!spec.imagePullSecrets?.length && account.imagePullSecrets?.length)
    spec.imagePullSecrets = account.imagePullSecrets.map((secret) => ({ ...secret }));
}

/** Rejects a pod that uses secrets which its account does not list, if the account enforces that. */
function checkSecrets(
  attributes: AdmissionAttributes,
  pod: Pick<core.Pod, "spec">,
  account: core.ServiceAccount,
): void {
  if (!enforcesMountableSecrets(account)) return;
  const reason = secretRefusal(account, pod);
  if (reason !== undefined) throw refusal(attributes, reason);
}

/** Mirror pods represent pods that run without the API server: they must not depend on API objects. */
function checkMirrorPod(attributes: AdmissionAttributes, pod: core.Pod): void {
  const refuse = (detail: string) => refusal(attributes, detail);
  if (pod.spec.serviceAccountName) throw refuse("a mirror pod may not reference service accounts");
  for (const reference of podReferences(pod))
    if (reference.startsWith("secrets/")) throw refuse("a mirror pod may not reference secrets");
  if (pod.spec.volumes?.some(({ projected }) => projected?.sources?.some((source) => source.serviceAccountToken)))
    throw refuse("a mirror pod may not use ServiceAccountToken volume projections");
}

const missingAccount = (attributes: AdmissionAttributes, name: string) =>
  refusal(
    attributes,
    `error looking up service account ${attributes.namespace}/${name}: serviceaccount "${name}" not found`,
  );

/**
 * Plugin ServiceAccount: gives a pod its namespace's `default` account if it names none, checks that the account exists, and
 * adds the account's pull secrets and a projected token volume (unless account or pod decline). An account may restrict its
 * pods, including their ephemeral containers, to the secrets that it lists.
 */
export const serviceAccount: AdmissionPlugin = {
  name: "ServiceAccount",
  handles: (operation) => operation === "CREATE" || operation === "UPDATE",
  admit(attributes, context) {
    const pod = podDraft(attributes);
    if (pod === undefined || attributes.operation !== "CREATE") return;
    if (pod.metadata.annotations?.[core.mirrorAnnotation] !== undefined)
      return checkMirrorPod(attributes as AdmissionAttributes, pod);
    const { spec } = pod;
    const name = spec.serviceAccountName || "default";
    spec.serviceAccountName = name;
    // Old clients read the former name of the field.
    spec.serviceAccount = name;
    const found = findAccount(attributes.namespace, name, context);
    if (!(found instanceof Promise)) return applyAccount(spec, found);
    return found.then(
      (account) => applyAccount(spec, account),
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
        throw missingAccount(attributes as AdmissionAttributes, name);
      },
    );
  },
  validate(attributes, context) {
    const added = attributes.operation === "UPDATE";
    if (!isAbout(attributes, "", "pods", added ? "ephemeralcontainers" : "")) return;
    const { object: pod } = objectsAs<core.Pod>(attributes);
    if (pod === undefined) return;
    // A webhook may have made it one, or have added what mirror pods must not have.
    if (pod.metadata.annotations?.[core.mirrorAnnotation] !== undefined)
      return added ? undefined : checkMirrorPod(attributes, pod);
    const found = findAccount(attributes.namespace, pod.spec.serviceAccountName ?? "", context);
    if (!(found instanceof Promise)) return checkSecrets(attributes, pod, found);
    return found.then(
      (account) => checkSecrets(attributes, pod, account),
      (error: unknown) => {
        if (!isNotFound(error)) throw error;
        // A pod may outlive its account; then no restriction applies.
        if (!added) throw missingAccount(attributes, pod.spec.serviceAccountName ?? "");
      },
    );
  },
};
