import { orchletConfigurationSchema } from "@orchernetes/config";
import { describe, expect, test } from "vitest";
import { openServerError } from "./open-server.ts";

const settings = (more: object = {}) =>
  orchletConfigurationSchema.parse({
    apiVersion: "orchlet.config.o8s.io/v1beta1",
    kind: "OrchletConfiguration",
    authentication: { anonymous: { enabled: true } },
    authorization: { mode: "AlwaysAllow" },
    ...more,
  });
const error = (more: object, explicit: readonly string[] = [], hasFile = false) =>
  openServerError(settings(more), { hasFile, explicit: new Set(explicit) });

describe("a server that allows anonymous users everything on a reachable address", () => {
  // shows: authentication.anonymous.enabled, authorization.mode
  test.each<[string, object, readonly string[]]>([
    ["by default", {}, []],
    ["on an address of its own", { address: "10.0.0.1" }, []],
    ["on all IPv6 addresses", { address: "::" }, []],
    ["asked for by half", {}, ["anonymous-auth"]],
    ["asked for by the other half", {}, ["authorization-mode", "port"]],
  ])("%s is rejected", (_, more, explicit) => {
    expect(error(more, explicit)).toMatch(/^--\S.* not given, .*may run commands in every pod; want --config, /);
  });

  test.each<[string, object, readonly string[], boolean]>([
    ["is what flags ask for", {}, ["anonymous-auth", "authorization-mode"], false],
    ["is what the file asks for", {}, [], true],
    ["is not open: it asks the API server", { authorization: { mode: "Webhook" } }, [], false],
    ["is not open: it wants credentials", { authentication: { anonymous: { enabled: false } } }, [], false],
    ["is on loopback", { address: "127.0.0.1" }, [], false],
    ["is on IPv6 loopback", { address: "::1" }, [], false],
    ["is off", { enableServer: false }, [], false],
  ])("%s: the settings are accepted", (_, more, explicit, hasFile) => {
    expect(error(more, explicit, hasFile)).toBeUndefined();
  });
});
