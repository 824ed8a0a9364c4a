import { configFlags } from "./config-flags.ts";

/** Where pods come from beside the API server. */
export const podSourceSection = configFlags("Pod sources", {
  "pod-manifest-path": {
    type: "string",
    default: "",
    help: "Directory with static pod files, or one such file. Names that begin with a dot are left out.",
  },
  "manifest-url": { type: "string", default: "", help: "Address to fetch static pods from." },
  "manifest-url-header": {
    type: "repeated",
    default: [],
    validate: (items) =>
      items.every((item) => item.split(",").every((pair) => pair.includes(":")))
        ? undefined
        : "name:value pairs separated by commas",
    help: "Headers for --manifest-url as name:value, separated by commas; may be repeated, and the same name may come several times.",
  },
  "sync-frequency": {
    type: "duration",
    default: "1m0s",
    min: 1,
    help: "Longest time between two comparisons of running containers with their pods.",
  },
  "file-check-frequency": {
    type: "duration",
    default: "20s",
    min: 1,
    help: "Time between two looks at static pod files.",
  },
  "http-check-frequency": {
    type: "duration",
    default: "20s",
    min: 1,
    help: "Time between two fetches of --manifest-url.",
  },
  runonce: {
    type: "bool",
    default: false,
    help: "Runs the pods of static files and the API server once and exits.",
  },
  "config-map-and-secret-change-detection-strategy": {
    type: "string",
    default: "Watch",
    oneOf: ["Get", "Cache", "Watch"],
    help: "How config maps and secrets of pods are followed.",
  },
});
