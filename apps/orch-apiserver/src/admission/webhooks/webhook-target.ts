import type { admissionregistration } from "@orchernetes/api";

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where a webhook is, and whom the server trusts there. */
export interface WebhookTarget {
  /** `https://host:port/path`; for a service the host is `name.namespace.svc`. */
  readonly url: string;
  /** Whose address the connection goes to; undefined: the URL's host. */
  readonly service: ServicePort | undefined;
  /** PEM. Undefined: the authorities of the host. */
  readonly caBundle: string | undefined;
  /** Host and port, by which credentials are found. */
  readonly hostPort: string;
  /** The same for the same target. */
  readonly key: string;
}

const DEFAULT_PORT = 443;

/** The target of a client configuration. Paths have no slash at the end: clients of the original cut it off. */
export function targetOf({ url = "", service, caBundle }: admissionregistration.WebhookClientConfig): WebhookTarget {
  const ca = caBundle ? Buffer.from(caBundle, "base64").toString("utf8") : undefined;
  const make = (address: string, hostPort: string, port?: ServicePort): WebhookTarget => ({
    url: address.replace(/\/+$/, ""),
    service: port,
    caBundle: ca,
    hostPort,
    key: JSON.stringify([address, port, ca]),
  });
  if (service) {
    const { namespace, name, port = DEFAULT_PORT, path = "" } = service;
    const hostPort = `${name}.${namespace}.svc:${port}`;
    return make(`https://${hostPort}${path.replace(/^\/*/, "/")}`, hostPort, { namespace, name, port });
  }
  const host = /^[a-z]+:\/\/([^/?#]*)/i.exec(url)?.[1] ?? "";
  return make(url, /:\d+$/.test(host) ? host : `${host}:${DEFAULT_PORT}`);
}
