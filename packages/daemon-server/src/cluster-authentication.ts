import type { IdentityHeaders } from "@orchernetes/auth";
import { type CaBundle, type Followed, followedValue, parseCertificates } from "@orchernetes/tls";

/** The front proxies that may name users, and their headers: the `--requestheader-*` flags of the API server. */
interface FrontProxySettings extends IdentityHeaders {
  readonly allowedNames: readonly string[];
}

/** The clients that the API server authenticates by certificates, so that a daemon can authenticate the same ones. */
export interface ClusterAuthentication {
  /** Authorities of clients; if empty, clients have no certificates. */
  readonly clientCa: Followed<CaBundle>;
  /** Authorities of front proxies; if empty, there are no front proxies. */
  readonly frontProxyCa: Followed<CaBundle>;
  frontProxies(): FrontProxySettings;
}

/** The published data at one time. */
interface Published {
  readonly clientCa: CaBundle;
  readonly frontProxyCa: CaBundle;
  readonly frontProxies: FrontProxySettings;
}

/**
 * Follows the data of ConfigMap `orch-system/extension-apiserver-authentication`. Nobody is authenticated before the
 * first call of `publish`. It throws an Error for data that cannot be used; the previous data then stays in effect.
 */
export function createClusterAuthentication(): ClusterAuthentication & {
  publish(data: Readonly<Record<string, string>>): void;
} {
  let published = parse({});
  const clientCa = followedValue(published.clientCa);
  const frontProxyCa = followedValue(published.frontProxyCa);
  return {
    clientCa,
    frontProxyCa,
    frontProxies: () => published.frontProxies,
    publish(data) {
      const { clientCa: former, frontProxyCa: formerProxy } = published;
      const next = parse(data);
      published = {
        clientCa: next.clientCa.pem === former.pem ? former : next.clientCa,
        frontProxyCa: next.frontProxyCa.pem === formerProxy.pem ? formerProxy : next.frontProxyCa,
        frontProxies: next.frontProxies,
      };
      clientCa.set(published.clientCa);
      frontProxyCa.set(published.frontProxyCa);
    },
  };
}

/** Absent keys mean none. */
function parse(data: Readonly<Record<string, string>>): Published {
  const bundle = (key: string): CaBundle => {
    const pem = data[key] ?? "";
    return { pem, certificates: pem === "" ? [] : parseCertificates(pem, JSON.stringify(key)) };
  };
  return {
    clientCa: bundle("client-ca-file"),
    frontProxyCa: bundle("requestheader-client-ca-file"),
    frontProxies: {
      allowedNames: listOf(data, "requestheader-allowed-names"),
      usernameHeaders: listOf(data, "requestheader-username-headers"),
      groupHeaders: listOf(data, "requestheader-group-headers"),
      extraHeaderPrefixes: listOf(data, "requestheader-extra-headers-prefix"),
    },
  };
}

function listOf(data: Readonly<Record<string, string>>, key: string): readonly string[] {
  const text = data[key] ?? "";
  if (text === "") return [];
  const want = `${JSON.stringify(key)}: found ${JSON.stringify(text)}; want a JSON list of texts`;
  let list: unknown;
  try {
    list = JSON.parse(text);
  } catch (error) {
    throw new Error(want, { cause: error });
  }
  if (!Array.isArray(list) || !list.every((item) => typeof item === "string")) throw new Error(want);
  return list;
}
