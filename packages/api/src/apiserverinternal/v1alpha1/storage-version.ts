import { defineResource } from "@orchernetes/apimachinery";
import { keep, keepMetadata } from "../../meta/keep.ts";
import { allVerbs, subresourceVerbs } from "../../meta/verbs.ts";
import { age, column, name } from "../../shared/index.ts";
import { StorageVersion } from "./types/storage-version.ts";
import { storageVersionNameErrors, validateStorageVersionStatus } from "./validation.ts";

/** In which versions the API servers of a cluster store a resource. */
export const storageVersions = defineResource<StorageVersion>({
  group: "internal.apiserver.o8s.io",
  version: "v1alpha1",
  kind: "StorageVersion",
  plural: "storageversions",
  singular: "storageversion",
  scope: "Cluster",
  verbs: allVerbs,
  schema: StorageVersion,
  storagePrefix: "/registry/storageversions",
  strategy: {
    nameFormat: storageVersionNameErrors,
    prepareForCreate: (object) => {
      object.status = {};
    },
    validate: validateStorageVersionStatus,
    prepareForUpdate: (object, old) => keep(object, old, "status"),
    validateUpdate: validateStorageVersionStatus,
    allowUnconditionalUpdate: false,
  },
  columns: [
    name(),
    column("CommonEncodingVersion", "string", "Version that all servers store, if they agree.", ({ status }) => {
      return status.commonEncodingVersion ?? "<unset>";
    }),
    column("StorageVersions", "string", "Version that each server stores.", ({ status }) => {
      const servers = status.storageVersions ?? [];
      return servers.length === 0
        ? "<unset>"
        : servers.map(({ apiServerID = "", encodingVersion = "" }) => `${apiServerID}=${encodingVersion}`).join(",");
    }),
    age(),
  ],
  subresources: {
    status: {
      type: "status",
      verbs: subresourceVerbs,
      strategy: {
        prepareForUpdate: (object, old) => {
          keep(object, old, "spec");
          keepMetadata(object, old);
        },
        validateUpdate: validateStorageVersionStatus,
      },
    },
  },
});
