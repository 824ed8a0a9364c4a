import { expect, test } from "vitest";
import { create, merged, subresourceStrategy, update } from "../../../test/support.ts";
import { ingresses } from "./ingress.ts";

type Row = readonly [name: string, input: object, want: readonly (string | RegExp)[]];
const matching = (want: Row[2]) => want.map((text) => (typeof text === "string" ? text : expect.stringMatching(text)));

const backend = { service: { name: "s", port: { number: 80 } } };
const base = { metadata: { name: "i", namespace: "n" }, spec: { defaultBackend: backend } };
const errorsOf = (spec: object): string[] => create(ingresses, { ...base, spec }).errors;
const label = "a DNS-1035 label must consist of";

test.each<Row>([
  ["a service and a port number", backend, []],
  ["the last port", { service: { name: "s", port: { number: 65_535 } } }, []],
  ["a service and a port name", { service: { name: "s", port: { name: "http" } } }, []],
  ["a resource", { resource: { apiGroup: "example.com", kind: "Bucket", name: "b" } }, []],
  ["a resource of the core group", { resource: { kind: "Bucket", name: "b" } }, []],
  ["no name", { service: { name: "", port: { number: 80 } } }, [".service.name: Required value"]],
  [
    "a name that begins with a digit",
    { service: { name: "1s", port: { number: 80 } } },
    [new RegExp(`^\\.service\\.name: Invalid value: "1s": ${label}`)],
  ],
  [
    "a port number too high",
    { service: { name: "s", port: { number: 65_536 } } },
    [".service.port.number: Invalid value: 65536: must be between 1 and 65535, inclusive"],
  ],
  [
    "a port name of 16 characters",
    { service: { name: "s", port: { name: "a".repeat(16) } } },
    [`.service.port.name: Invalid value: "${"a".repeat(16)}": must be no more than 15 characters`],
  ],
  [
    "a resource without names",
    { resource: { kind: "", name: "" } },
    [".resource.kind: Required value", ".resource.name: Required value"],
  ],
  [
    "a resource with odd names",
    { resource: { apiGroup: "A", kind: "a/b", name: "c%d" } },
    [
      /^\.resource\.apiGroup: Invalid value: "A": APIGroup: a lowercase RFC 1123 subdomain/,
      ".resource.kind: Invalid value: \"a/b\": may not contain '/'",
      ".resource.name: Invalid value: \"c%d\": may not contain '%'",
    ],
  ],
])("backend with %s", (_, one, want) => {
  const first = errorsOf({ defaultBackend: one });
  expect(first.map((text) => text.replace("spec.defaultBackend", ""))).toEqual(matching(want));
  const second = errorsOf({ rules: [{}, { http: { paths: [{ path: "/", pathType: "Exact", backend: one }] } }] });
  expect(second.map((text) => text.replace("spec.rules[1].http.paths[0].backend", ""))).toEqual(matching(want));
});

test.each([
  ["Exact", "/a.b/..c", []],
  ["Prefix", "/", []],
  ["ImplementationSpecific", "", []],
  ["ImplementationSpecific", "/a//b/../%2f", []],
  ["ImplementationSpecific", "a", ["must be an absolute path"]],
  ["Exact", "", ["must be an absolute path"]],
  ["Prefix", "a//b", ["must be an absolute path", "must not contain '//'"]],
  ["Exact", "/a/./../b", ["must not contain '/./'", "must not contain '/../'"]],
  ["Exact", "/a%2F%2f/.", ["must not contain '%2f'", "must not contain '%2F'", "cannot end with '/.'"]],
])("path of type %s: %j", (pathType, path, details) => {
  const errors = errorsOf({ rules: [{ http: { paths: [{ path, pathType, backend }] } }] });
  const at = "spec.rules[0].http.paths[0].path";
  expect(errors).toEqual(details.map((detail) => `${at}: Invalid value: "${path}": ${detail}`));
});

test.each<readonly [host: string, want: Row[2]]>([
  ["a.example.com", []],
  ["*.example.com", []],
  ["", []],
  ["10.0.0.1", ["must be a DNS name, not an IP address"]],
  ["*", [/^a wildcard DNS-1123 subdomain must start with/]],
  ["*.*.com", [/^a wildcard DNS-1123 subdomain must start with/]],
  ["A.com", [/^a lowercase RFC 1123 subdomain must consist of/]],
  [`${"a.".repeat(126)}a`, []],
  [`${"a.".repeat(126)}ab`, ["must be no more than 253 characters"]],
])("host %j", (host, want) => {
  const errors = errorsOf({ rules: [{ host }] });
  const start = `spec.rules[0].host: Invalid value: "${host}": `;
  expect(errors.map((text) => text.replace(start, ""))).toEqual(matching(want));
});

test("hosts and secrets of TLS entries", () => {
  const tls = [{ hosts: ["*.a.b", "a.*"], secretName: "" }, { secretName: "A" }, {}];
  expect(errorsOf({ defaultBackend: backend, tls })).toEqual(
    matching([
      /^spec\.tls\[0\]\.hosts\[1\]: Invalid value: "a\.\*": a wildcard DNS-1123 subdomain/,
      /^spec\.tls\[1\]\.secretName: Invalid value: "A": a lowercase RFC 1123 subdomain/,
    ]),
  );
});

test("class and annotation are compared on creates only", () => {
  const both = (annotation: string) =>
    merged(base, {
      metadata: { annotations: { "orchernetes.io/ingress.class": annotation } },
      spec: { ingressClassName: "a" },
    });
  expect(create(ingresses, both("a")).errors).toEqual([]);
  expect(create(ingresses, both("b")).errors).toHaveLength(1);
  expect(update(ingresses, create(ingresses, both("a")).object, both("b")).errors).toEqual([]);
});

test.each<Row>([
  ["an address", { ip: "10.0.0.1", hostname: "a.example.com" }, []],
  ["an IPv6 address", { ip: "fd00::1" }, []],
  ["no address", { ip: "10.0.0.256" }, ['ip: Invalid value: "10.0.0.256": must be a valid IP address']],
  [
    "an address as a name",
    { hostname: "10.0.0.1" },
    ['hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address'],
  ],
  ["an odd name", { hostname: "A" }, [/^hostname: Invalid value: "A": a lowercase RFC 1123 subdomain/]],
])("status with %s", (_, one, want) => {
  const old = create(ingresses, base).object;
  const next = merged(old, { status: { loadBalancer: { ingress: [one] } } });
  const { errors } = update(ingresses, old, next, subresourceStrategy(ingresses, "status"));
  expect(errors.map((text) => text.replace("status.loadBalancer.ingress[0].", ""))).toEqual(matching(want));
});
