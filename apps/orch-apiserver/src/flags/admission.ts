import { flagSection } from "@orchernetes/component";
import { defaultAdmissionPlugins, otherAdmissionPlugins } from "../admission/plugins.ts";

const plugins = [...defaultAdmissionPlugins, ...otherAdmissionPlugins];

/** What is done to objects before they are stored. */
export const admissionSection = flagSection("Admission", {
  "admission-control-config-file": {
    type: "string",
    default: "",
    help: "File with the configuration of admission plugins (AdmissionConfiguration of apiserver.config.o8s.io/v1).",
  },
  "enable-admission-plugins": {
    type: "strings",
    default: [],
    oneOf: plugins,
    help: `Admission plugins to enable in addition to those enabled by default (${defaultAdmissionPlugins.join(", ")}). Their order does not matter.`,
  },
  "disable-admission-plugins": {
    type: "strings",
    default: [],
    oneOf: plugins,
    help: "Default-enabled plugins to disable. Their order does not matter.",
  },
  "admission-control": {
    type: "strings",
    default: [],
    oneOf: plugins,
    deprecated: "use --enable-admission-plugins and --disable-admission-plugins instead",
    help: "Admission plugins that run instead of those enabled by default. Their order does not matter.",
  },
});
