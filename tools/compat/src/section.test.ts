import { expect, test } from "vitest";
import { replaceSection } from "./section.ts";

const section = { heading: "Clients", begin: "<!-- a -->", end: "<!-- b -->" };

test.each([
  ["between the marks", "x\n<!-- a -->\nold\n<!-- b -->\ny\n", "x\n<!-- a -->\nnew\n<!-- b -->\ny\n"],
  ["at the end, where there are none", "x\n\n\n", "x\n\n## Clients\n\n<!-- a -->\nnew\n<!-- b -->\n"],
])("the text goes %s", (_, document, want) => {
  expect(replaceSection(document, section, "new")).toBe(want);
});
