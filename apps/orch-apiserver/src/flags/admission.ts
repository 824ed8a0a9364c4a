import { flagSection } from "@orchernetes/component";

/** Admission plugins that run unless switched off, in no particular order. */
export const defaultAdmissionPlugins: readonly string[] = [
  "NamespaceLifecycle",
  "LimitRanger",
  "ServiceAccount",
  "TaintNodesByCondition",
  "PodSecurity",
  "Priority",
  "DefaultTolerationSeconds",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "PersistentVolumeClaimResize",
  "RuntimeClass",
  "CertificateApproval",
  "CertificateSigning",
  "ClusterTrustBundleAttest",
  "CertificateSubjectRestriction",
  "DefaultIngressClass",
  "MutatingAdmissionWebhook",
  "ValidatingAdmissionPolicy",
  "ValidatingAdmissionWebhook",
  "ResourceQuota",
];

/** Admission plugins that run only when switched on. */
export const otherAdmissionPlugins: readonly string[] = [
  "AlwaysAdmit",
  "AlwaysDeny",
  "AlwaysPullImages",
  "DenyServiceExternalIPs",
  "EventRateLimit",
  "ExtendedResourceToleration",
  "ImagePolicyWebhook",
  "LimitPodHardAntiAffinityTopology",
  "NamespaceAutoProvision",
  "NamespaceExists",
  "NodeRestriction",
  "OwnerReferencesPermissionEnforcement",
  "PersistentVolumeLabel",
  "PodNodeSelector",
  "PodTolerationRestriction",
  "SecurityContextDeny",
];

const plugins = [...defaultAdmissionPlugins, ...otherAdmissionPlugins];

/** What is done to objects before they are stored. */
export const admissionSection = flagSection("Admission", {
  "admission-control-config-file": {
    type: "string",
    default: "",
    effect: "none",
    help: "File with the configuration of admission plugins.",
  },
  "enable-admission-plugins": {
    type: "strings",
    default: [],
    oneOf: plugins,
    help: `Admission plugins to run beside those that run by default (${defaultAdmissionPlugins.join(", ")}). Their order does not matter.`,
  },
  "disable-admission-plugins": {
    type: "strings",
    default: [],
    oneOf: plugins,
    help: "Admission plugins that run by default and shall not. Their order does not matter.",
  },
  "admission-control": {
    type: "strings",
    default: [],
    oneOf: plugins,
    effect: "none",
    deprecated: "use --enable-admission-plugins and --disable-admission-plugins instead",
    help: "Admission plugins in the order they run.",
  },
});
