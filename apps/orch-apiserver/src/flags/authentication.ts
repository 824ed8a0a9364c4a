import { flagSection } from "@orchernetes/component";

const signingAlgs = ["RS256", "RS384", "RS512", "ES256", "ES384", "ES512", "PS256", "PS384", "PS512"];

const generic = flagSection("Authentication", {
  "anonymous-auth": {
    type: "bool",
    default: true,
    help: "Serves requests without credentials as user system:anonymous of group system:unauthenticated.",
  },
  "client-ca-file": {
    type: "string",
    default: "",
    help: "PEM bundle of authorities. A client certificate signed by one of them authenticates its holder: the common name is the user, the organizations are the groups.",
  },
  "token-auth-file": {
    type: "string",
    default: "",
    help: 'CSV file of bearer tokens: token,user,uid and optionally "group1,group2".',
  },
  "enable-bootstrap-token-auth": {
    type: "bool",
    default: false,
    help: "Accepts secrets of type bootstrap.orchernetes.io/token in namespace orch-system as tokens for joining nodes.",
  },
  "authentication-token-webhook-config-file": {
    type: "string",
    default: "",
    help: "Client configuration of the webhook that authenticates bearer tokens.",
  },
  "authentication-token-webhook-cache-ttl": {
    type: "duration",
    default: "2m0s",
    min: 0,
    help: "How long responses of the token webhook are cached.",
  },
  "authentication-token-webhook-version": {
    type: "string",
    default: "v1beta1",
    oneOf: ["v1beta1", "v1"],
    help: "Version of authentication.o8s.io that is sent to the token webhook.",
  },
});

const requestHeader = flagSection("Authentication", {
  "requestheader-client-ca-file": {
    type: "string",
    default: "",
    help: "PEM bundle of authorities that sign the certificates of front proxies, whose identity headers are then trusted.",
  },
  "requestheader-allowed-names": {
    type: "strings",
    default: [],
    help: "Allowed common names of a front proxy's certificate; empty allows every certificate that --requestheader-client-ca-file verifies.",
  },
  "requestheader-username-headers": {
    type: "strings",
    default: [],
    help: "Headers to inspect for the user name, such as X-Remote-User.",
  },
  "requestheader-group-headers": {
    type: "strings",
    default: [],
    help: "Headers to inspect for groups, such as X-Remote-Group.",
  },
  "requestheader-extra-headers-prefix": {
    type: "strings",
    default: [],
    help: "Prefixes of headers to inspect for extra values of the user, such as X-Remote-Extra-.",
  },
});

const oidc = flagSection("Authentication", {
  "oidc-issuer-url": {
    type: "string",
    default: "",
    validate: (url) => (url === "" || url.startsWith("https://") ? undefined : "an https:// URL"),
    help: "URL of an OpenID Connect issuer, https only. When set, its ID tokens are accepted.",
  },
  "oidc-client-id": {
    type: "string",
    default: "",
    help: "Client ID that ID tokens must have been issued for; required with --oidc-issuer-url.",
  },
  "oidc-ca-file": {
    type: "string",
    default: "",
    help: "PEM bundle that verifies the issuer's certificate; by default the authorities of the host.",
  },
  "oidc-username-claim": {
    type: "string",
    default: "sub",
    help: "Claim that holds the user name. Claims other than the default may not be unique or immutable.",
  },
  "oidc-username-prefix": {
    type: "string",
    default: "",
    help: "Prefix of user names, which prevents clashes. If it is not set, names from claims other than email get the issuer URL as prefix; - means no prefix.",
  },
  "oidc-groups-claim": {
    type: "string",
    default: "",
    help: "Claim that holds the groups, a string or a list of strings.",
  },
  "oidc-groups-prefix": { type: "string", default: "", help: "Prefix of group names." },
  "oidc-required-claim": {
    type: "stringToString",
    default: {},
    help: "Claims that must be in the token with the given value, as key=value. May be repeated.",
  },
  "oidc-signing-algs": {
    type: "strings",
    default: ["RS256"],
    oneOf: signingAlgs,
    help: "Signature algorithms accepted on ID tokens.",
  },
});

const serviceAccounts = flagSection("Authentication", {
  "service-account-issuer": {
    type: "strings",
    default: [],
    help: "Issuers of service account tokens (the iss claim); should be https URLs that serve the discovery document. May be repeated or separated by commas: the first is used to issue tokens, all are accepted.",
  },
  "service-account-key-file": {
    type: "repeated",
    default: [],
    help: "PEM file of RSA or ECDSA keys that verify service account tokens; may be repeated. If it is not set, the key of --tls-private-key-file is used. Required with --service-account-signing-key-file.",
  },
  "service-account-signing-key-file": {
    type: "string",
    default: "",
    help: "PEM file of the private key that signs service account tokens.",
  },
  "service-account-jwks-uri": {
    type: "string",
    default: "",
    validate: (url) => (url === "" || url.startsWith("https://") ? undefined : "an https:// URL"),
    help: "URI of the key set in the discovery document, if it is not served by this server.",
  },
  "api-audiences": {
    type: "strings",
    default: [],
    help: "Identifiers of the API: a token must have one of them as its audience. Defaults to all issuers, if issuers are set.",
  },
  "service-account-lookup": {
    type: "bool",
    default: true,
    help: "Accepts service account tokens only while the objects that they are bound to exist.",
  },
  "service-account-max-token-expiration": {
    type: "duration",
    default: "0s",
    min: 0,
    help: "Maximum lifetime of a token; requests for a longer one get this lifetime.",
  },
  "service-account-extend-token-expiration": {
    type: "bool",
    default: true,
    help: "Extends tokens injected into pods to a year, so that clients that do not reload them keep working; the maximum lifetime does not apply to them.",
  },
});

/** Who a request comes from. */
export const authenticationSection = { ...generic, ...requestHeader, ...oidc, ...serviceAccounts };
