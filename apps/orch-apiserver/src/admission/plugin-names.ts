/** Admission plugins that exist, in the order in which they run. */
export const implementedPlugins: readonly string[] = [
  "AlwaysAdmit",
  "NamespaceAutoProvision",
  "NamespaceLifecycle",
  "NamespaceExists",
  "LimitRanger",
  "ServiceAccount",
  "NodeRestriction",
  "TaintNodesByCondition",
  "AlwaysPullImages",
  "Priority",
  "DefaultTolerationSeconds",
  "DefaultStorageClass",
  "StorageObjectInUseProtection",
  "RuntimeClass",
  "DefaultIngressClass",
  "ResourceQuota",
  "AlwaysDeny",
];

/** Those of the given plugins that would run but do not exist, for the warning at the start. */
export function absentPlugins(wanted: readonly string[], disabled: readonly string[]): readonly string[] {
  return wanted.filter((name) => !implementedPlugins.includes(name) && !disabled.includes(name));
}
