import { flagSection } from "@orchernetes/component";
import { authorizationModes } from "../authorization/modes.ts";

/** What a request may do. */
export const authorizationSection = flagSection("Authorization", {
  "authorization-mode": {
    type: "strings",
    default: ["AlwaysAllow"],
    oneOf: authorizationModes,
    validate: (modes) =>
      modes.length === 0 ? "at least one mode" : new Set(modes).size < modes.length ? "every mode once" : undefined,
    help: "Authorizers, in the order in which they are asked.",
  },
  "authorization-policy-file": {
    type: "string",
    default: "",
    help: "File with one JSON policy per line, for mode ABAC.",
  },
  "authorization-webhook-config-file": {
    type: "string",
    default: "",
    help: "Client configuration of the webhook that mode Webhook calls.",
  },
  "authorization-webhook-cache-authorized-ttl": {
    type: "duration",
    default: "5m0s",
    min: 0,
    help: "How long responses of the webhook that allow a request are cached.",
  },
  "authorization-webhook-cache-unauthorized-ttl": {
    type: "duration",
    default: "30s",
    min: 0,
    help: "How long responses of the webhook that do not allow a request are cached.",
  },
  "authorization-webhook-version": {
    type: "string",
    default: "v1beta1",
    oneOf: ["v1beta1", "v1"],
    help: "Version of authorization.o8s.io that is sent to the webhook.",
  },
});
