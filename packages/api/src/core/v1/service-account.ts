import { type Draft, defineResource } from "@orchernetes/apimachinery";
import { TokenRequest } from "../../authentication/v1/types/token-request.ts";
import { age, column, name } from "../../shared/columns.ts";
import { allVerbs } from "../../shared/verbs.ts";
import { ServiceAccount } from "./types/service-account.ts";

/** Of references to secrets only names count. */
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
