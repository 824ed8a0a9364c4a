import { core } from "@orchernetes/api";
import { decoderFor } from "@orchernetes/apimachinery";
import { expect, test } from "vitest";
import { serviceVariables } from "./service-env.ts";

const service = (name: string, spec: object, namespace = "team"): core.Service =>
  decoderFor(core.Service).decode({ metadata: { name, namespace }, spec });
const tcp = (port: number, name?: string) => ({ port, protocol: "TCP", ...(name === undefined ? {} : { name }) });

const api = service("orchernetes", { clusterIP: "10.0.0.1", ports: [tcp(443, "https")] }, "default");
const web = service("web-app", { clusterIP: "10.0.0.7", ports: [tcp(80, "http-main"), { port: 53, protocol: "UDP" }] });

const hosts = (services: readonly core.Service[], namespace: string, links: boolean): readonly string[] =>
  serviceVariables(services, namespace, links)
    .filter(([name]) => name.endsWith("_SERVICE_HOST"))
    .map(([name, value]) => `${name}=${value}`);

test("a service has the variables of Docker links, whose short forms describe its first port", () => {
  expect(Object.fromEntries(serviceVariables([web], "team", true))).toEqual({
    WEB_APP_SERVICE_HOST: "10.0.0.7",
    WEB_APP_SERVICE_PORT: "80",
    WEB_APP_SERVICE_PORT_HTTP_MAIN: "80",
    WEB_APP_PORT: "tcp://10.0.0.7:80",
    WEB_APP_PORT_80_TCP: "tcp://10.0.0.7:80",
    WEB_APP_PORT_80_TCP_PROTO: "tcp",
    WEB_APP_PORT_80_TCP_PORT: "80",
    WEB_APP_PORT_80_TCP_ADDR: "10.0.0.7",
    WEB_APP_PORT_53_UDP: "udp://10.0.0.7:53",
    WEB_APP_PORT_53_UDP_PROTO: "udp",
    WEB_APP_PORT_53_UDP_PORT: "53",
    WEB_APP_PORT_53_UDP_ADDR: "10.0.0.7",
  });
});

test("an IPv6 address has brackets in addresses with a port, and nowhere else", () => {
  const variables = Object.fromEntries(
    serviceVariables([service("six", { clusterIP: "fd00::7", ports: [tcp(80)] })], "team", true),
  );
  expect(variables).toMatchObject({
    SIX_SERVICE_HOST: "fd00::7",
    SIX_PORT: "tcp://[fd00::7]:80",
    SIX_PORT_80_TCP_ADDR: "fd00::7",
  });
});

test.each([
  [
    "links give the services of the namespace, and the API server's",
    "team",
    true,
    ["ORCHERNETES=10.0.0.1", "WEB_APP=10.0.0.7"],
  ],
  ["without links there is only the API server's", "team", false, ["ORCHERNETES=10.0.0.1"]],
  ["services of other namespaces are not visible", "other", true, ["ORCHERNETES=10.0.0.1"]],
  ["in the API server's own namespace it is there once", "default", true, ["ORCHERNETES=10.0.0.1"]],
])("%s", (_, namespace, links, want) => {
  const wanted = want.map((text) => text.replace("=", "_SERVICE_HOST="));
  expect(hosts([web, api], namespace, links)).toEqual(wanted);
});

test("only the service in namespace default is that of the API server", () => {
  const lookalike = service("orchernetes", { clusterIP: "10.6.6.6", ports: [tcp(443)] }, "evil");
  expect(hosts([lookalike, api], "team", false)).toEqual(["ORCHERNETES_SERVICE_HOST=10.0.0.1"]);
});

test.each([
  ["a headless service", { clusterIP: "None", ports: [tcp(80)] }],
  ["a service that has no address yet", { clusterIP: "", ports: [tcp(80)] }],
  ["an external name", { type: "ExternalName", externalName: "a.example" }],
])("%s has no variables", (_, spec) => {
  expect(serviceVariables([service("x", spec)], "team", true)).toEqual([]);
});

test("a service without ports has only the variable with its address", () => {
  expect(serviceVariables([service("x", { clusterIP: "10.0.0.9" })], "team", true)).toEqual([
    ["X_SERVICE_HOST", "10.0.0.9"],
  ]);
});
