import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

/** Texts of the types in `types/service-account.ts`. */
export const documentation: TypeDocumentation = {
  ServiceAccount: {
    "": "An identity for the processes in pods. They speak to orch-apiserver as system:serviceaccount:NAMESPACE:NAME. Every namespace has one named default.",
    metadata: objectMetadata,
    secrets:
      "Secrets that belong with the account, for tools to look at. Pods may use others, too, and nothing adds token secrets here: tokens come from the token subresource.",
    imagePullSecrets:
      "Secrets with registry credentials that are added to pods of this account which name no imagePullSecrets themselves.",
    automountServiceAccountToken:
      "Whether pods of this account get a token and the cluster's certificate mounted. A pod can say otherwise for itself. True if absent.",
  },
  ServiceAccountList: {
    "": "A list of service accounts.",
    metadata: listMetadata,
    items: "The service accounts.",
  },
};
