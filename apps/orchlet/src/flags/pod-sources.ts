import { configFlags } from "./config-flags.ts";
import { headersToField } from "./to-field.ts";

/** Where pods come from beside the API server. */
export const podSourceSection = configFlags("Pod sources", {
  "pod-manifest-path": {
    field: "staticPodPath",
    type: "string",
    default: "",
    help: "Directory with static pod files, or one such file. Files whose names begin with a dot are ignored.",
  },
  "manifest-url": { field: "staticPodURL", type: "string", default: "", help: "Address to fetch static pods from." },
  "manifest-url-header": {
    field: "staticPodURLHeader",
    toField: headersToField,
    type: "repeated",
    default: [],
    validate: (items) =>
      items.every((item) => item.split(",").every((pair) => pair.includes(":")))
        ? undefined
        : "name:value pairs separated by commas",
    help: "Headers for --manifest-url as name:value, separated by commas; may be repeated, and a name may occur several times.",
  },
  "sync-frequency": {
    field: "syncFrequency",
    type: "duration",
    default: "1m0s",
    min: 1,
    help: "Maximum interval between syncs of running containers with the configuration of their pods.",
  },
  "file-check-frequency": {
    field: "fileCheckFrequency",
    type: "duration",
    default: "20s",
    min: 1,
    help: "Interval between checks of static pod files.",
  },
  "http-check-frequency": {
    field: "httpCheckFrequency",
    type: "duration",
    default: "20s",
    min: 1,
    help: "Interval between checks of --manifest-url.",
  },
  runonce: {
    field: "runOnce",
    type: "bool",
    default: false,
    help: "Starts the static pods and the node's pods on the API server once, and exits.",
  },
  "config-map-and-secret-change-detection-strategy": {
    field: "configMapAndSecretChangeDetectionStrategy",
    type: "string",
    default: "Watch",
    oneOf: ["Get", "Cache", "Watch"],
    help: "How the agent detects changes of ConfigMaps and Secrets.",
  },
});
