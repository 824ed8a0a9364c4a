import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createCertificateAuthority, issueClientCertificate } from "@orchernetes/tls";
import { afterEach, beforeEach, expect, test } from "vitest";
import { orchletCommand } from "./daemon-commands.ts";
import { mustJoin } from "./join-token.ts";
import { type Layout, layout } from "./layout.ts";
import { defaultProfile } from "./profiles/default.ts";
import { hardenedProfile } from "./profiles/hardened/index.ts";
import type { NodeState } from "./state.ts";

let files: Layout;
beforeEach(() => {
  files = layout(mkdtempSync(join(tmpdir(), "o8s-token-")));
  mkdirSync(files.config);
});
afterEach(() => rmSync(files.dataDir, { recursive: true }));

test("a node joins if it has no client configuration, or its certificate has expired", async () => {
  expect(mustJoin(files, "node-1")).toBe(true);
  writeFileSync(files.clientConfig("node-1"), "{}");
  expect(mustJoin(files, "node-1")).toBe(false);
  const authority = await createCertificateAuthority({ commonName: "a" });
  const { certPem, keyPem } = await issueClientCertificate(authority, { commonName: "n", validityMs: 3_600_000 });
  mkdirSync(files.agentCertificates("node-1"), { recursive: true });
  writeFileSync(join(files.agentCertificates("node-1"), "orchlet-client-current.pem"), certPem + keyPem);
  expect(mustJoin(files, "node-1")).toBe(false);
  expect(mustJoin(files, "node-1", Date.now() + 2 * 3_600_000)).toBe(true);
});

test("only the default profile has bootstrap tokens", () => {
  const node = { name: "node-1" } as NodeState;
  const flag = `--bootstrap-orchconfig=${files.clientConfig("bootstrap")}`;
  const commands = [defaultProfile, hardenedProfile].map((profile) =>
    orchletCommand(files, node, (name) => [name], profile),
  );
  expect(commands.map((command) => command.includes(flag))).toEqual([true, false]);
});
