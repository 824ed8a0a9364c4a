import { flagSection } from "@orchernetes/component";

/** How requests are passed on to extension servers. */
export const aggregationSection = flagSection("Aggregation", {
  "enable-aggregator-routing": {
    type: "bool",
    default: false,
    help: "Sends requests for extension servers to the endpoints of their service instead of its cluster IP.",
  },
  "aggregator-reject-forwarding-redirect": {
    type: "bool",
    default: true,
    help: "Rejects redirects of extension servers instead of forwarding them to the client.",
  },
  "proxy-client-cert-file": {
    type: "string",
    default: "",
    help: "Client certificate that this server presents to extension servers and webhooks. It should be signed by the authority of --requestheader-client-ca-file.",
  },
  "proxy-client-key-file": {
    type: "string",
    default: "",
    help: "Private key that belongs to --proxy-client-cert-file.",
  },
});
