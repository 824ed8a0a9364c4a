const meta = "ObjectMeta (all kinds): ";
const options = "DeleteOptions / query options: ";
const reviews = "Authentication and authorization reviews: ";
const under = (kind: string, ...fields: readonly string[]): readonly string[] => fields.map((field) => kind + field);

/** Rules that are not part of one kind's validation, by the test file that tests them. */
export const elsewhere: Readonly<Record<string, readonly string[]>> = {
  "packages/apimachinery/src/names/object-meta.test.ts": under(
    meta,
    "metadata.name",
    "metadata.generateName",
    "metadata.namespace",
    "metadata.generation",
    "metadata.labels",
    "metadata.annotations",
    "metadata.ownerReferences[*]",
    "metadata.finalizers[*]",
    "metadata.finalizers",
    "metadata.managedFields[*]",
    "update: metadata.name, namespace, uid, creationTimestamp, deletionTimestamp, deletionGracePeriodSeconds",
  ),
  "packages/apimachinery/src/selector/selector.test.ts": under(meta, "labelSelector.matchExpressions[*]"),
  "packages/api/test/optional-kinds.test.ts": under(meta, "conditions[*] (meta Condition)"),
  "packages/apiserver/test/crud.test.ts": [
    ...under(
      meta,
      "update: metadata.resourceVersion",
      "create: metadata.resourceVersion",
      "create: metadata.uid, creationTimestamp, selfLink, deletionTimestamp",
      "create: status",
      "update main: status",
    ),
    ...under(options, "orphanDependents + propagationPolicy", "propagationPolicy", "dryRun"),
  ],
  "packages/apiserver/test/apply.test.ts": under(options, "force", "fieldManager"),
  "packages/apiserver/test/list-watch.test.ts": under(
    options,
    "limit, continue",
    "resourceVersionMatch",
    "sendInitialEvents",
    "timeoutSeconds",
  ),
  "packages/api/src/core/v1/pod.test.ts": [
    ...under("Pod: ", "pods delete", "strategy create"),
    ...under(options, "gracePeriodSeconds"),
  ],
  "packages/api/src/core/v1/validation/pod-options.test.ts": ["Pod: pods/binding"],
  "packages/api/src/core/v1/kinds.test.ts": [
    ...under("Namespace: ", "metadata.labels[orchernetes.io/metadata.name]", "namespaces/finalize", "delete"),
    "Secret: stringData",
  ],
  "packages/api/test/facts-types.test.ts": ["PersistentVolumeClaim: status.phase", "PersistentVolume: status.phase"],
  "packages/api/src/certificates/v1/certificate-signing-request.test.ts": under(
    "CertificateSigningRequest: ",
    "spec.request",
    "spec.signerName",
    "spec.usages",
    "spec.expirationSeconds",
    "spec",
    "status.conditions[*].type",
    "status.conditions changes",
    "status.certificate",
  ),
  "apps/orch-apiserver/test/rules.test.ts": [
    ...under("Namespace: ", "create in terminating namespace", "delete of default, orch-system, orch-public"),
    ...under(reviews, "TokenReview.spec.token", "TokenRequest.spec.expirationSeconds"),
    ...under(options, "fieldValidation"),
    "Pod: pods/eviction",
    "ServiceAccount: serviceaccounts/token",
    "RBAC: escalation",
    "PriorityClass: globalDefault",
  ],
  "apps/orch-apiserver/test/etcd-options.test.ts": ["Event: storage"],
};

/** Rules that this package does not implement, by the start of their names, with the reason. */
export const apart: Readonly<Record<string, string>> = {
  "CustomResourceDefinition: ": "custom resources have their own package",
  "Secret: type bootstrap.orchernetes.io/token": "who authenticates with such a secret checks it; any is stored",
};
