import { readFileSync } from "node:fs";
import { join } from "node:path";
import { orchletConfigurationSchema } from "@orchernetes/config";
import { expect, test } from "vitest";
import { agentSettings, withAgentSettings } from "./agent-settings.ts";
import { fieldsOf, isListed, type SchemaNode } from "./schema-fields.ts";
import { shownByTests } from "./shown-by-tests.ts";

const root = join(import.meta.dirname, "../../..");
const tests = shownByTests(root);
const settings = agentSettings();

test("every field of the node agent's file is one of its settings", () => {
  const names = settings.map(({ name }) => name);
  const fields = fieldsOf(orchletConfigurationSchema as SchemaNode);
  expect(
    fields.filter((path) => path !== "apiVersion" && path !== "kind" && !names.some((name) => isListed([name], path))),
  ).toEqual([]);
});

test("every field and flag of the node agent has a test that shows what it does: `// shows: NAME` before it", () => {
  expect(settings.filter(({ name, idle }) => idle === tests.has(name)).map(({ name }) => name)).toEqual([]);
});

test("tests show settings that exist", () => {
  const names = new Set(settings.map(({ name }) => name));
  expect([...tests.keys()].filter((name) => !names.has(name))).toEqual([]);
});

test("docs/node-agent.md lists them: run `node tools/docs/src/main.ts`", () => {
  const page = readFileSync(join(root, "docs/node-agent.md"), "utf8");
  expect(withAgentSettings(page, tests)).toBe(page);
});
