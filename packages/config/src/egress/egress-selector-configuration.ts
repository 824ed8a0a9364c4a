import { z } from "zod";

/**
 * Destinations of the API server's connections: `cluster` is nodes, pods, services and extension servers,
 * `controlplane` the webhooks of the control plane, `etcd` the store.
 */
export type EgressSelectionName = "cluster" | "controlplane" | "etcd";

/** How a proxy is reached: over TCP with or without TLS, or over a unix socket. */
export type EgressTransport =
  | {
      readonly type: "tcp";
      readonly host: string;
      readonly port: number;
      /** Undefined: without TLS (`http://`). */
      readonly tls: EgressTlsFiles | undefined;
    }
  /** A unix socket. */
  | { readonly type: "uds"; readonly path: string };

/** PEM files for TLS with a proxy. */
export interface EgressTlsFiles {
  /** Path of the authorities of the proxy's certificate. Empty: those of the system. */
  readonly caBundle: string;
  readonly clientCert: string;
  readonly clientKey: string;
}

/** How connections to one destination are made. GRPC is the protocol of apiserver-network-proxy (KEP-1281). */
export type EgressConnection =
  | { readonly type: "direct" }
  | { readonly type: "httpConnect"; readonly transport: EgressTransport }
  | { readonly type: "grpc"; readonly transport: EgressTransport & { readonly type: "uds" } };

/** The connection of one destination. */
export interface EgressSelection {
  readonly name: EgressSelectionName;
  readonly connection: EgressConnection;
}

const NAMES: readonly string[] = ["cluster", "controlplane", "etcd"] satisfies EgressSelectionName[];
const PROTOCOLS: readonly string[] = ["Direct", "GRPC", "HTTPConnect"];
const VERSIONS = ["apiserver.o8s.io/v1beta1", "apiserver.o8s.io/v1alpha1"] as const;

const tlsFields = z.strictObject({
  caBundle: z.string().default(""),
  clientCert: z.string().default(""),
  clientKey: z.string().default(""),
});

const connectionFields = z.strictObject({
  proxyProtocol: z.string().default(""),
  transport: z
    .strictObject({
      tcp: z.strictObject({ url: z.string().default(""), tlsConfig: tlsFields.optional() }).optional(),
      uds: z.strictObject({ udsName: z.string().default("") }).optional(),
    })
    .optional(),
});
type ConnectionFields = z.output<typeof connectionFields>;
type Transport = NonNullable<ConnectionFields["transport"]>;

/** Adds an error at a place in the connection; returns undefined so that a caller can return the call. */
type Report = (message: string, ...path: readonly string[]) => undefined;

const connection = connectionFields.transform((given, context): EgressConnection => {
  const report: Report = (message, ...path) => {
    context.addIssue({ code: "custom", message, path: [...path] });
  };
  return connectionOf(given, report) ?? z.NEVER;
});

function connectionOf({ proxyProtocol, transport }: ConnectionFields, report: Report): EgressConnection | undefined {
  switch (proxyProtocol) {
    case "Direct":
      return transport === undefined
        ? { type: "direct" }
        : report("Transport config should be absent for direct connect", "transport");
    // The messages are those of Kubernetes' validation of EgressSelectorConfiguration.
    case "HTTPConnect": {
      if (transport === undefined) return report("transport must be set for HTTPConnect", "transport");
      const reached = httpConnectTransport(transport, report);
      return reached && { type: "httpConnect", transport: reached };
    }
    case "GRPC": {
      if (transport === undefined) return report("transport must be set for GRPC", "transport");
      if (transport.tcp !== undefined)
        report("want no TCP transport: GRPC is spoken over UDS only", "transport", "tcp");
      if (transport.uds === undefined) return report("UDS must be set with GRPC", "transport", "uds");
      const reached = udsTransport(transport.uds, report);
      return reached && { type: "grpc", transport: reached };
    }
    default:
      return report(`supported values: ${PROTOCOLS.map((name) => `"${name}"`).join(", ")}`, "proxyProtocol");
  }
}

/**
 * The transport to an HTTP CONNECT proxy; undefined after an error. TLS settings must be there for https and absent
 * for http, so that a typing error in the scheme does not send requests in plain text.
 */
function httpConnectTransport({ tcp, uds }: Transport, report: Report): EgressTransport | undefined {
  if (tcp !== undefined && uds !== undefined) return report("TCP and UDS cannot both be set", "transport", "tcp");
  if (uds !== undefined) return udsTransport(uds, report);
  if (tcp === undefined) return report("One of TCP or UDS must be set", "transport", "tcp");
  const at = ["transport", "tcp"] as const;
  const { url, tlsConfig } = tcp;
  const secure = url.startsWith("https://");
  if (!secure && !url.startsWith("http://"))
    return report("supported connection protocols are http:// and https://", ...at, "url");
  if (!URL.canParse(url)) return report("want a URL such as https://127.0.0.1:8131", ...at, "url");
  const { hostname, port } = new URL(url);
  const target = {
    type: "tcp",
    host: hostname.replace(/^\[|\]$/g, ""),
    port: port === "" ? (secure ? 443 : 80) : Number(port),
  } as const;
  if (!secure)
    return tlsConfig === undefined
      ? { ...target, tls: undefined }
      : report("TLSConfig config should not be present when using HTTP", ...at, "tlsConfig");
  if (tlsConfig === undefined) return report("TLSConfig must be present when using HTTPS", ...at, "tlsConfig");
  if (tlsConfig.clientCert === "") report("Using TLS requires clientCert", ...at, "tlsConfig", "clientCert");
  if (tlsConfig.clientKey === "") report("Using TLS requires clientKey", ...at, "tlsConfig", "clientKey");
  return { ...target, tls: tlsConfig };
}

function udsTransport(uds: { readonly udsName: string }, report: Report) {
  if (uds.udsName === "") return report("UDSName should be present for UDS connections", "transport", "uds", "udsName");
  return { type: "uds", path: uds.udsName } as const;
}

const selection = z.strictObject({
  /** `master` is the former name of `controlplane`. */
  name: z
    .string()
    .transform((name) => (name === "master" ? "controlplane" : name.toLowerCase()))
    .refine((name): name is EgressSelectionName => NAMES.includes(name), {
      error: `supported values: ${NAMES.map((name) => `"${name}"`).join(", ")}`,
    }),
  connection,
});

/**
 * The file of `--egress-selector-config-file`: through which proxy the API server reaches nodes, webhooks and the
 * store. A destination without a selection is connected to directly.
 */
export const egressSelectorConfigurationSchema = z
  .strictObject({
    apiVersion: z.enum(VERSIONS),
    kind: z.literal("EgressSelectorConfiguration"),
    egressSelections: z.array(selection).default([]),
  })
  .superRefine(({ egressSelections }, context) => {
    for (const [index, { name }] of egressSelections.entries())
      if (egressSelections.findIndex((other) => other.name === name) < index)
        context.addIssue({
          code: "custom",
          path: ["egressSelections", index, "name"],
          message: `want each selection once; "${name}" is given before`,
        });
  });
