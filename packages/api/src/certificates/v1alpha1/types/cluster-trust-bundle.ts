import {
  type Infer,
  ListMeta,
  list,
  message,
  ObjectMeta,
  object,
  optional,
  required,
  string,
  value,
} from "@orchernetes/apimachinery";

const pkg = "certificates/v1alpha1";

export const ClusterTrustBundle = object(pkg, "ClusterTrustBundle", () => ({
  metadata: value(1, ObjectMeta),
  spec: required(2, ClusterTrustBundleSpec),
}));
export interface ClusterTrustBundle extends Infer<typeof ClusterTrustBundle> {}

export const ClusterTrustBundleSpec = message(pkg, "ClusterTrustBundleSpec", () => ({
  signerName: optional(1, string),
  trustBundle: required(2, string),
}));
export interface ClusterTrustBundleSpec extends Infer<typeof ClusterTrustBundleSpec> {}

export const ClusterTrustBundleList = object(pkg, "ClusterTrustBundleList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ClusterTrustBundle)),
}));
export interface ClusterTrustBundleList extends Infer<typeof ClusterTrustBundleList> {}
