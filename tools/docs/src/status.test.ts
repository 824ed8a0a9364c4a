import { type FlagTable, features } from "@orchernetes/component";
import {
  cloudControllerManagerConfigurationSchema,
  orchControllerManagerConfigurationSchema,
  orchletConfigurationSchema,
  orchProxyConfigurationSchema,
} from "@orchernetes/config";
import { describe, expect, test } from "vitest";
import { fieldsWithoutEffect as cloudManagerFields } from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { switchedGates as cloudControllerManagerGates } from "../../../apps/cloud-controller-manager/src/switched-gates.ts";
import { fieldsWithoutEffect as managerFields } from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { switchedGates as orchControllerManagerGates } from "../../../apps/orch-controller-manager/src/switched-gates.ts";
import { fieldsWithoutEffect as proxyFields } from "../../../apps/orch-proxy/src/flags/index.ts";
import { switchedGates as proxyGates } from "../../../apps/orch-proxy/src/switched-gates.ts";
import { schedulerConfigurationSchema } from "../../../apps/orch-scheduler/src/config/scheduler-configuration.ts";
import { switchedGates as schedulerGates } from "../../../apps/orch-scheduler/src/switched-gates.ts";
import { fieldsOf, isListed, type SchemaNode } from "./schema-fields.ts";
import { SourceReads } from "./source-reads.ts";
import { tables } from "./status-page.ts";

/** Files that hold tables and lists of settings. */
const declarations =
  /\/flags\/|documentation|fields-without-effect|switched-gates|write-configuration|scheduler-configuration|plugin-args|features\.ts$/;
/** Files that check what a flag names before anyone uses it. */
const checks = /config-files\.ts$/;
const both = new RegExp(`${declarations.source}|${checks.source}`);

/** A flag with a single accepted value chooses nothing. */
const hasChoice = (flag: FlagTable[string]): boolean => !("oneOf" in flag) || flag.oneOf?.length !== 1;

/**
 * Read for a moment, to say in an error or a warning what cannot be used; nothing is done with them. Each entry needs a reason.
 */
const readWithoutEffect: Readonly<Record<string, readonly string[]>> = {
  // Only the files that they name are checked.
  "orch-controller-manager": ["service-account-private-key-file"],
};

describe.each(Object.entries(tables as Readonly<Record<string, FlagTable>>))("flags of %s", (daemon, table) => {
  const anywhere = new SourceReads(daemon, declarations);
  const inEarnest = new SourceReads(daemon, both);
  // Flags that stand for a field have the field's effect.
  const own = Object.entries(table).filter(([, { field }]) => field === undefined);

  test("that have an effect are read in the sources", () => {
    const unread = own.filter(
      ([name, flag]) => flag.effect === undefined && hasChoice(flag) && anywhere.ofFlag(name).length === 0,
    );
    expect(unread.map(([name]) => name)).toEqual([]);
  });

  test("that are listed as without effect are not read", () => {
    const read = own.flatMap(([name, flag]) => {
      const files = flag.effect === "none" ? inEarnest.ofFlag(name) : [];
      return files.length === 0 || readWithoutEffect[daemon]?.includes(name) ? [] : [`${name}: ${files.join(", ")}`];
    });
    expect(read).toEqual([]);
  });

  test("that are always in effect say so in their help", () => {
    for (const [name, flag] of own) if (flag.effect === "always") expect(flag.help, name).toContain("always");
  });
});

describe.each([
  ["orchlet", orchletConfigurationSchema as SchemaNode, [], ["logging.format"]],
  ["orch-scheduler", schedulerConfigurationSchema as SchemaNode, [], ["extenders"]],
  ["orch-controller-manager", orchControllerManagerConfigurationSchema as SchemaNode, managerFields, []],
  ["cloud-controller-manager", cloudControllerManagerConfigurationSchema as SchemaNode, cloudManagerFields, []],
  ["orch-proxy", orchProxyConfigurationSchema as SchemaNode, proxyFields, []],
] as const)("configuration fields of %s", (daemon, schema, listed, withoutChoice) => {
  const reads = new SourceReads(daemon, declarations);
  const fields = fieldsOf(schema).filter((path) => path !== "apiVersion" && path !== "kind");

  test("are read in the sources, or listed as without effect", () => {
    const ignored = fields.filter(
      (path) =>
        !isListed(listed, path) && !withoutChoice.some((name) => name === path) && reads.ofField(path).length === 0,
    );
    expect(ignored).toEqual([]);
  });

  test("that are listed exist", () => {
    expect(listed.filter((field) => !fields.some((path) => isListed([field], path)))).toEqual([]);
  });
});

test.each([
  ["orch-scheduler", schedulerGates],
  ["orch-controller-manager", orchControllerManagerGates],
  ["cloud-controller-manager", cloudControllerManagerGates],
  ["orch-proxy", proxyGates],
] as const)("the gates that switch something in %s are those that it asks for", (daemon, switched) => {
  const reads = new SourceReads(daemon, declarations);
  expect([...switched].sort()).toEqual(
    Object.keys(features)
      .filter((name) => reads.ofGate(name).length > 0)
      .sort(),
  );
});
