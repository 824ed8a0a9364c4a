import { createCertificateAuthority } from "@orchernetes/tls";
import { expect, test } from "vitest";
import { createClusterAuthentication } from "./cluster-authentication.ts";

const { certPem } = await createCertificateAuthority({ commonName: "ca" });
const { certPem: proxyPem } = await createCertificateAuthority({ commonName: "proxies" });

test("nobody is trusted before data is published, and absent keys mean nobody", () => {
  const cluster = createClusterAuthentication();
  expect(cluster.clientCa.current().certificates).toEqual([]);
  cluster.publish({});
  expect([cluster.clientCa.current().certificates, cluster.frontProxyCa.current().certificates]).toEqual([[], []]);
});

test("published data is in effect, and only changed authorities are reported", () => {
  const cluster = createClusterAuthentication();
  const changed: string[] = [];
  cluster.clientCa.onChange(({ pem }) => void changed.push(pem === "" ? "none" : "ca"));
  const proxies = {
    "requestheader-client-ca-file": proxyPem,
    "requestheader-allowed-names": '["front"]',
    "requestheader-username-headers": '["X-Remote-User"]',
    "requestheader-group-headers": '["X-Remote-Group"]',
    "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
  };
  cluster.publish({ "client-ca-file": certPem, ...proxies });
  expect(cluster.clientCa.current().certificates).toHaveLength(1);
  expect(cluster.frontProxyCa.current().pem).toBe(proxyPem);
  expect(cluster.frontProxies()).toEqual({
    allowedNames: ["front"],
    usernameHeaders: ["X-Remote-User"],
    groupHeaders: ["X-Remote-Group"],
    extraHeaderPrefixes: ["X-Remote-Extra-"],
  });
  cluster.publish({ "client-ca-file": certPem });
  cluster.publish({});
  expect(changed).toEqual(["ca", "none"]);
});

test.each<[string, Readonly<Record<string, string>>, string]>([
  ["a bundle without certificates", { "client-ca-file": "junk" }, '"client-ca-file": no certificate found'],
  ["a list that is not JSON", { "requestheader-allowed-names": "front" }, "want a JSON list of texts"],
  ["a list of numbers", { "requestheader-allowed-names": "[1]" }, 'found "[1]"; want a JSON list of texts'],
])("%s is refused, and what was published before stays", (_, data, message) => {
  const cluster = createClusterAuthentication();
  cluster.publish({ "client-ca-file": certPem });
  expect(() => cluster.publish({ "client-ca-file": proxyPem, ...data })).toThrow(message);
  expect(cluster.clientCa.current().pem).toBe(certPem);
});
