import {
  bool,
  type Draft,
  defineResource,
  type Infer,
  ListMeta,
  list,
  ObjectMeta,
  object,
  optional,
  pointer,
  required,
  value,
} from "@orchernetes/apimachinery";
import { TokenRequest } from "../../authentication/v1/token-request.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/definitions.ts";
import { LocalObjectReference, ObjectReference } from "./types/references.ts";

const pkg = "core/v1";

/**
 * An identity for the processes in pods: user `system:serviceaccount:<namespace>:<name>`. Every namespace has one named
 * `default`.
 */
export const ServiceAccount = object(pkg, "ServiceAccount", () => ({
  metadata: value(1, ObjectMeta),
  secrets: optional(2, list(ObjectReference), { patch: "merge", mergeKey: "name", list: "map", keys: ["name"] }),
  imagePullSecrets: optional(3, list(LocalObjectReference)),
  automountServiceAccountToken: pointer(4, bool),
}));
export interface ServiceAccount extends Infer<typeof ServiceAccount> {}

export const ServiceAccountList = object(pkg, "ServiceAccountList", () => ({
  metadata: value(1, ListMeta),
  items: required(2, list(ServiceAccount)),
}));
export interface ServiceAccountList extends Infer<typeof ServiceAccountList> {}

/** Keeps only the names of referenced secrets: they are in the account's namespace by definition. */
function keepSecretNames(account: Draft<ServiceAccount>): void {
  if (account.secrets !== undefined) {
    account.secrets = account.secrets.map((reference) => ({ name: reference.name }));
  }
}

/** `v1` service accounts. */
export const serviceAccounts = defineResource<ServiceAccount>({
  group: "",
  version: "v1",
  kind: "ServiceAccount",
  plural: "serviceaccounts",
  singular: "serviceaccount",
  shortNames: ["sa"],
  scope: "Namespaced",
  verbs: allVerbs,
  schema: ServiceAccount,
  storagePrefix: "/registry/serviceaccounts",
  strategy: {
    prepareForCreate: keepSecretNames,
    prepareForUpdate: keepSecretNames,
    returnDeletedObject: true,
  },
  columns: [
    name(),
    column("Secrets", "string", "Number of secrets that its pods may use.", ({ secrets }) => secrets?.length ?? 0),
    age(),
  ],
  subresources: {
    token: {
      type: "handler",
      group: "authentication.o8s.io",
      version: "v1",
      kind: "TokenRequest",
      verbs: ["create"],
      schema: TokenRequest,
    },
  },
});
