import type { TypeDocumentation } from "@orchernetes/apimachinery";

/** Texts of the types of internal.apiserver.o8s.io/v1alpha1. */
export const documentation: TypeDocumentation = {
  StorageVersion: {
    "": "In which versions the API servers of a cluster store and can read a resource. Its name is GROUP.RESOURCE.",
    spec: "Always empty: there is nothing to wish for.",
    status: "What the API servers report.",
  },
  StorageVersionSpec: {
    "": "Has no fields.",
  },
  StorageVersionStatus: {
    "": "What the API servers report about a resource.",
    storageVersions: "One item for each API server.",
    commonEncodingVersion: "The version that all API servers store, if they agree.",
    conditions: "Summaries of the state. AllEncodingVersionsEqual: whether all API servers store the same version.",
  },
  ServerStorageVersion: {
    "": "What one API server reports about a resource.",
    apiServerID: "Identity of the API server; its Lease has the same name.",
    encodingVersion: "Group and version in which it stores objects.",
    decodableVersions: "Groups and versions that it can read; encodingVersion is one of them.",
  },
  StorageVersionCondition: {
    "": "One aspect of the state.",
    type: "Which aspect: AllEncodingVersionsEqual.",
    status: "True, False, or Unknown if it cannot be determined.",
    observedGeneration: "The metadata.generation that the condition refers to.",
    lastTransitionTime: "When status last changed.",
    reason: "A machine-readable reason in CamelCase.",
    message: "A human-readable description of what happened.",
  },
};
