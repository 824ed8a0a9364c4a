import type { TypeDocumentation } from "@orchernetes/apimachinery";
import { listMetadata, objectMetadata } from "./phrases.ts";

export const documentation: TypeDocumentation = {
  ServiceAccount: {
    "": "An identity for the processes in pods. They speak to orch-apiserver as system:serviceaccount:NAMESPACE:NAME. Every namespace has one named default.",
    metadata: objectMetadata,
    secrets:
      "Secrets that pods of this account may use. Only enforced if the annotation orchernetes.io/enforce-mountable-secrets is true. Tokens come from the token subresource and need no entry here.",
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
