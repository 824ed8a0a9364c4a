import { type Control, judged, met } from "../../../control.ts";
import { flagsUnseen } from "../../shared/flag-control.ts";
import { pluginControl, pluginRuns } from "../../shared/plugin-control.ts";

const daemon = "orch-apiserver";

/** Controls of section 1.2 about admission plugins. */
export const admissionPlugins: readonly Control[] = [
  pluginControl({
    number: "1.2.9",
    title: "The rate of events is limited",
    plugin: "EventRateLimit",
    severity: "warn",
  }),
  pluginControl({
    number: "1.2.10",
    title: "Admission does not admit everything",
    plugin: "AlwaysAdmit",
    wanted: false,
  }),
  pluginControl({
    number: "1.2.11",
    title: "Images are pulled with the credentials of each pod",
    plugin: "AlwaysPullImages",
    severity: "warn",
  }),
  {
    number: "1.2.12",
    title: "Security settings of pods are checked at admission",
    severity: "warn",
    remedy: "orch-apiserver: remove PodSecurity from --disable-admission-plugins",
    judge({ daemons, activePlugins }) {
      const facts = daemons[daemon];
      if (facts === undefined)
        return activePlugins.has("PodSecurity")
          ? met("PodSecurity decides about requests", "/metrics of the API server")
          : flagsUnseen(daemon);
      const found = ["PodSecurity", "SecurityContextDeny"].filter((name) =>
        pluginRuns(facts.flags, name, name === "PodSecurity"),
      );
      const text =
        found.length === 0 ? "neither PodSecurity nor SecurityContextDeny is enabled" : `${found.join()} is enabled`;
      return judged(found.length > 0, text, facts.source);
    },
  },
  pluginControl({ number: "1.2.13", title: "Pods get service accounts", plugin: "ServiceAccount", byDefault: true }),
  pluginControl({
    number: "1.2.14",
    title: "Nothing is created in namespaces that end",
    plugin: "NamespaceLifecycle",
    byDefault: true,
  }),
  pluginControl({ number: "1.2.15", title: "Nodes change only themselves and their pods", plugin: "NodeRestriction" }),
];
