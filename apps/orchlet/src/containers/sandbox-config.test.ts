import { expect, test } from "vitest";
import { testPod } from "../testing/pods.ts";
import { dnsConfigOf } from "./dns.ts";
import { sandboxConfigOf } from "./sandbox-config.ts";
import { securityContextOf } from "./security-context.ts";

const sandbox = (spec: object) =>
  sandboxConfigOf(testPod(spec), {
    attempt: 0,
    cgroupParent: "",
    logDirectory: "/log",
    clusterDomain: "cluster.local",
    dns: undefined,
  });
const appArmor = (profile: string) => ({ "container.apparmor.security.beta.orchernetes.io/c": profile });

function security(spec: object, annotations: object = {}, seccompDefault = false) {
  const pod = testPod(spec, { annotations });
  const [container] = pod.spec.containers;
  if (container === undefined) throw new Error("the test pod has no container");
  return securityContextOf(pod, container, {
    seccompDefault,
    seccompDir: "/seccomp",
    imageUser: { username: "" },
    podText: "web",
  });
}
const inContainer = (securityContext: object) => ({ containers: [{ name: "c", image: "i", securityContext }] });

// shows: seccompDefault
test.each([
  ["none", {}, false, { profileType: "Unconfined" }],
  ["none on a node with a default", {}, true, { profileType: "RuntimeDefault" }],
  ["Unconfined on a node with a default", { type: "Unconfined" }, true, { profileType: "Unconfined" }],
  ["the runtime's", { type: "RuntimeDefault" }, false, { profileType: "RuntimeDefault" }],
  [
    "a local one",
    { type: "Localhost", localhostProfile: "a/b.json" },
    false,
    { profileType: "Localhost", localhostRef: "/seccomp/a/b.json" },
  ],
])("a container's seccomp profile: %s", (_, profile, byDefault, want) => {
  const context = "type" in profile ? { seccompProfile: profile } : {};
  expect(security({ securityContext: context }, {}, byDefault).seccomp).toEqual(want);
  expect(security(inContainer(context), {}, byDefault).seccomp).toEqual(want);
});

test("a privileged container is not confined, but its sandbox is", () => {
  const privileged = inContainer({ privileged: true, seccompProfile: { type: "RuntimeDefault" } });
  expect(security(privileged).seccomp).toEqual({ profileType: "Unconfined" });
  const strict = { securityContext: { seccompProfile: { type: "Localhost", localhostProfile: "strict.json" } } };
  expect(sandbox(strict).linux?.securityContext?.seccomp).toEqual({ profileType: "RuntimeDefault" });
});

test.each([
  ["runtime/default", { profileType: "RuntimeDefault" }],
  ["unconfined", { profileType: "Unconfined" }],
  ["localhost/strict", { profileType: "Localhost", localhostRef: "strict" }],
])("the AppArmor profile %s reaches the runtime", (profile, want) => {
  expect(security({}, appArmor(profile)).apparmor).toEqual(want);
  expect(security({}).apparmor).toBeUndefined();
});

test("sysctls are passed to the sandbox with dots", () => {
  const sysctls = [{ name: "net/ipv4/tcp_syncookies", value: "0" }];
  expect(sandbox({ securityContext: { sysctls } }).linux?.sysctls).toEqual({ "net.ipv4.tcp_syncookies": "0" });
});

test("a fully qualified domain name that is too long for a host name is rejected with its length", () => {
  const spec = { setHostnameAsFQDN: true, subdomain: "s".repeat(60) };
  expect(() => sandbox(spec)).toThrow(/it has 90 characters; want at most 64$/);
  expect(sandbox({ ...spec, subdomain: "s" }).hostname).toBe("web.s.default.svc.cluster.local");
});

test("search domains are truncated to the limits of resolvers, with a warning", () => {
  const told: string[] = [];
  const searches = Array.from({ length: 20 }, (_, n) => `${n}${"x".repeat(198)}`);
  const config = dnsConfigOf(
    testPod({ dnsPolicy: "None", dnsConfig: { nameservers: ["10.0.0.10"], searches } }),
    { resolvConf: "", clusterDNS: [], clusterDomain: "" },
    (reason, message) => told.push(`${reason}: ${message.slice(0, 34)}`),
  );
  expect(config?.searches).toHaveLength(10);
  expect(told).toEqual(["DNSConfigForming: Search Line limits were exceeded, "]);
});
