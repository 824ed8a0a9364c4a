import type { admissionregistration } from "@orchernetes/api";

/** A port of a Service. */
export interface ServicePort {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** The address of a webhook, and the authorities of its certificate. */
export interface WebhookTarget {
  /** `https://host:port/path`; for a service the host is `name.namespace.svc`. */
  readonly url: string;
  /** The service to connect to; undefined: the host of the URL. */
  readonly service: ServicePort | undefined;
  /** Authorities of the certificate, PEM. @default those of the host */
  readonly caBundle: string | undefined;
  /** Host and port, under which credentials are looked up. */
  readonly hostPort: string;
  /** Identifies the target: webhooks with the same key share connections. */
  readonly key: string;
}

const DEFAULT_PORT = 443;

/** Returns the target of a `clientConfig`. Slashes at the end of the path are removed, as upstream's client does. */
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
