/** Admission plugins that exist, in the order in which they run. */
export const implementedPlugins: readonly string[] = [
  "AlwaysAdmit",
  "NamespaceAutoProvision",
  "NamespaceLifecycle",
  "NamespaceExists",
  "ServiceAccount",
  "NodeRestriction",
  "TaintNodesByCondition",
  "AlwaysPullImages",
  "Priority",
  "DefaultTolerationSeconds",
  "StorageObjectInUseProtection",
  "AlwaysDeny",
];
