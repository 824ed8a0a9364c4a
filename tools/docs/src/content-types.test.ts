import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ContentTypes } from "@orchernetes/client";
import { ConfigurationError, type FlagTable, parseFlags } from "@orchernetes/component";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { completeConfig as cloudControllerManager } from "../../../apps/cloud-controller-manager/src/config.ts";
import { cloudControllerManagerFlags } from "../../../apps/cloud-controller-manager/src/flags/index.ts";
import { completeConfig as orchControllerManager } from "../../../apps/orch-controller-manager/src/config.ts";
import { orchControllerManagerFlags } from "../../../apps/orch-controller-manager/src/flags/index.ts";
import { completeConfig as orchProxy } from "../../../apps/orch-proxy/src/config.ts";
import { orchProxyFlags } from "../../../apps/orch-proxy/src/flags/index.ts";
import { completeConfig as scheduler } from "../../../apps/orch-scheduler/src/config.ts";
import { schedulerFlags } from "../../../apps/orch-scheduler/src/flags/index.ts";
import { completeConfig as orchlet } from "../../../apps/orchlet/src/config.ts";
import { orchletFlags } from "../../../apps/orchlet/src/flags/index.ts";

const json = "application/json";
const protobuf = "application/vnd.orchernetes.protobuf";
const wanted = `${json} or ${protobuf}`;
const program = { name: "x", description: "x", version: { text: "v", raw: "v" } };

let dir: string;
beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "o8s-content-"));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

interface Daemon {
  readonly table: FlagTable;
  readonly argv: readonly string[];
  readonly configure: (
    flags: never,
    explicit: ReadonlySet<string>,
  ) => Promise<{ readonly contentTypes?: ContentTypes | undefined }>;
  /** Group, version and kind of its document, and the section of the connection. */
  readonly head: { readonly apiVersion: string; readonly kind: string };
  readonly section: readonly string[];
  readonly accepts: boolean;
}

const noCloud = { none: async () => ({ create: () => Promise.reject(new Error("no cloud")) }) };
const cluster = ["--master=http://127.0.0.1:1"];
const generic = ["Generic", "ClientConnection"];

const daemons: Readonly<Record<string, Daemon>> = {
  "orch-scheduler": {
    table: schedulerFlags,
    argv: cluster,
    configure: scheduler,
    head: { apiVersion: "orchscheduler.config.o8s.io/v1", kind: "OrchSchedulerConfiguration" },
    section: ["clientConnection"],
    accepts: true,
  },
  "orch-controller-manager": {
    table: orchControllerManagerFlags,
    argv: cluster,
    configure: orchControllerManager,
    head: { apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1", kind: "OrchControllerManagerConfiguration" },
    section: generic,
    accepts: true,
  },
  "cloud-controller-manager": {
    table: cloudControllerManagerFlags,
    argv: [...cluster, "--cloud-provider=none"],
    configure: (flags, explicit) => cloudControllerManager(flags, explicit, noCloud as never),
    head: { apiVersion: "cloudcontrollermanager.config.o8s.io/v1alpha1", kind: "CloudControllerManagerConfiguration" },
    section: generic,
    accepts: true,
  },
  "orch-proxy": {
    table: orchProxyFlags,
    argv: cluster,
    configure: orchProxy,
    head: { apiVersion: "orchproxy.config.o8s.io/v1alpha1", kind: "OrchProxyConfiguration" },
    section: ["clientConnection"],
    accepts: true,
  },
  orchlet: {
    table: orchletFlags,
    argv: [
      "--fail-swap-on=false",
      "--authentication-token-webhook=false",
      "--authorization-mode=AlwaysAllow",
      "--address=127.0.0.1",
    ],
    configure: orchlet,
    head: { apiVersion: "orchlet.config.o8s.io/v1beta1", kind: "OrchletConfiguration" },
    section: [],
    accepts: false,
  },
};

describe.each(Object.entries(daemons))("%s", (_, { table, argv, configure, head, section, accepts }) => {
  /** The errors of flags and of the file, or the content types. */
  async function configured(...more: readonly string[]): Promise<ContentTypes | undefined | readonly string[]> {
    const parsed = parseFlags(program, table, [...argv, ...more]);
    if (parsed.type === "errors") return parsed.errors;
    if (parsed.type !== "run") throw new Error(JSON.stringify(parsed));
    try {
      return (await configure(parsed.flags as never, parsed.explicit)).contentTypes;
    } catch (error) {
      if (error instanceof ConfigurationError) return error.errors;
      throw error;
    }
  }
  /** A file with these fields of the connection. */
  function fileOf(fields: object): string {
    const path = join(dir, `${head.kind}.json`);
    const document = section.reduceRight<object>((inner, name) => ({ [name]: inner }), fields);
    writeFileSync(path, JSON.stringify({ ...head, ...document }));
    return `--config=${path}`;
  }

  test("speaks JSON unless it is told otherwise, and then what it is told", async () => {
    const asked = { contentType: protobuf, accept: `${protobuf},${json}` };
    expect(await configured()).toBeUndefined();
    expect(await configured(`--orch-api-content-type=${json}`)).toBeUndefined();
    expect(await configured(fileOf({}))).toBeUndefined();
    expect(await configured(fileOf({ contentType: json }))).toBeUndefined();
    expect(await configured(`--orch-api-content-type=${protobuf}`)).toMatchObject(asked);
    expect(await configured(fileOf({ contentType: protobuf }))).toMatchObject(asked);
    if (!accepts) return;
    const file = fileOf({ contentType: protobuf, acceptContentTypes: `${json}, ${protobuf};q=0.5` });
    expect(await configured(file)).toMatchObject({ contentType: protobuf, accept: `${json}, ${protobuf};q=0.5` });
  });

  test("rejects other content types at its start, with what it accepts", async () => {
    expect(await configured("--orch-api-content-type=application/xml")).toEqual([
      `invalid value "application/xml" for flag --orch-api-content-type: want ${wanted}`,
    ]);
    const at = (field: string) => [...section, field].join(".");
    const fields = { contentType: "json", ...(accepts ? { acceptContentTypes: "*/*,text/html" } : {}) };
    const errors = (await configured(fileOf(fields))) as readonly string[];
    expect(errors.map((error) => error.replace(/^.*?, /, ""))).toEqual(
      expect.arrayContaining([
        `field ${at("contentType")}: invalid value "json"; want ${wanted}`,
        ...(accepts
          ? [expect.stringContaining(`field ${at("acceptContentTypes")}: invalid value "*/*,text/html"; want`)]
          : []),
      ]),
    );
  });
});
