import { NamedFiles } from "@orchernetes/component";
import { orchControllerManagerConfigurationSchema, parseConfig } from "@orchernetes/config";
import { expect, test } from "vitest";
import { controllers } from "../../../../apps/orch-controller-manager/src/controllers/index.ts";
import { fieldsWithoutEffect } from "../../../../apps/orch-controller-manager/src/flags/index.ts";
import { fieldsOf, isListed, type SchemaNode } from "../schema-fields.ts";
import { recordReads } from "./record-reads.ts";

/** Sections that the manager itself reads. */
const ofManager = ["apiVersion", "kind", "Generic", "OrchCloudShared"];

test("a controller of orch-controller-manager reads every field of the sections about controllers", async () => {
  const document = parseConfig(
    {
      apiVersion: "orchcontrollermanager.config.o8s.io/v1alpha1",
      kind: "OrchControllerManagerConfiguration",
      // Without it, one of the controllers has nothing to read.
      OrchCloudShared: { AllocateNodeCIDRs: true, ClusterCIDR: "10.244.0.0/16" },
    },
    orchControllerManagerConfigurationSchema,
    "test",
  );
  const { value, reads } = recordReads(document);
  for (const { settings } of controllers) {
    await settings({
      document: value,
      gates: { enabled: () => true },
      files: new NamedFiles(),
      // A controller that names the file reads the field.
      namedFile: (field) => {
        const path = field.split(".").reduce((group: unknown, name) => (group as Record<string, unknown>)[name], value);
        return { from: field, path: String(path) };
      },
      client: undefined,
    });
  }
  const paths = fieldsOf(orchControllerManagerConfigurationSchema as SchemaNode).filter(
    (path) => !isListed([...ofManager, ...fieldsWithoutEffect], path),
  );
  expect(paths.length).toBeGreaterThan(50);
  const seen = [...reads.direct, ...reads.copied];
  expect(paths.filter((path) => !seen.some((one) => isListed([path], one)))).toEqual([]);
});
