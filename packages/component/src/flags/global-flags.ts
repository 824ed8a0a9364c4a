import { flagSection } from "./flag.ts";

/** The flags of every program: help and version. */
export const globalFlags = flagSection("Global", {
  help: { type: "bool", default: false, short: "h", help: "Print this help and exit." },
  version: {
    type: "string",
    default: "false",
    bare: "true",
    oneOf: ["true", "false", "raw"],
    help: "Print the version and exit; --version=raw prints all build information.",
  },
});
