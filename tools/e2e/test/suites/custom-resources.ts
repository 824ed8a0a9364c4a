import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { poll } from "@orchernetes/testkit";
import { beforeAll, describe, expect, test } from "vitest";
import type { SharedCluster } from "../../src/shared-cluster.ts";

/** As manifests for other servers of this API are written. */
const definition = `
apiVersion: apiextensions.o8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: crontabs.stable.example.com
spec:
  group: stable.example.com
  scope: Namespaced
  names: {plural: crontabs, singular: crontab, kind: CronTab, shortNames: [ct], categories: [tabs]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            required: [cronSpec]
            properties:
              cronSpec: {type: string, description: When it runs.}
              replicas: {type: integer, minimum: 0, default: 1}
              at: {x-kubernetes-int-or-string: true}
              more: {type: object, x-kubernetes-preserve-unknown-fields: true}
          status:
            type: object
            properties: {replicas: {type: integer}}
    subresources:
      status: {}
      scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas}
    additionalPrinterColumns:
    - {name: Spec, type: string, jsonPath: .spec.cronSpec}
    - {name: Replicas, type: integer, jsonPath: .spec.replicas}
`;

const object = (cronSpec: string) => `
apiVersion: stable.example.com/v1
kind: CronTab
metadata: {name: tab}
spec: {cronSpec: "${cronSpec}", more: {anything: {goes: 1}}}
`;

const cells = (output: string): readonly (readonly string[])[] =>
  output
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/ {2,}/));

/** What kubectl does with the resources of definitions. */
export function customResourcesSuite(shared: SharedCluster): void {
  describe("custom resources with kubectl", () => {
    shared.useNamespace("custom");
    const kubectl = shared.kubectl("custom");
    const file = (name: string, text: string): string => {
      const path = join(shared.cluster.dataDir, name);
      writeFileSync(path, text);
      return path;
    };

    beforeAll(async () => {
      await kubectl("apply", "-f", file("definition.yaml", definition));
      await kubectl("wait", "--for=condition=Established", "crd/crontabs.stable.example.com", "--timeout=60s");
    });

    test("definitions are listed and explained", async () => {
      expect(cells(await kubectl("get", "crd"))[1]?.[0]).toBe("crontabs.stable.example.com");
      const explained = await kubectl("explain", "crontabs.spec");
      expect(explained).toMatch(/cronSpec\s+<string>.*-required-/);
      expect(explained).toContain("When it runs.");
    });

    test("objects are applied, shown, scaled and deleted", async () => {
      expect(await kubectl("apply", "-f", file("tab.yaml", object("* * * * */5")))).toContain("created");
      expect(cells(await kubectl("get", "ct"))).toEqual([
        ["NAME", "SPEC", "REPLICAS"],
        ["tab", "* * * * */5", "1"],
      ]);
      expect(await kubectl("apply", "-f", file("tab.yaml", object("0 * * * *")))).toContain("configured");
      expect(await kubectl("apply", "-f", file("tab.yaml", object("0 * * * *")))).toContain("unchanged");
      await kubectl("scale", "--replicas=3", "crontab/tab");
      expect(cells(await kubectl("get", "tabs"))[1]).toEqual(["tab", "0 * * * *", "3"]);
      const { spec } = await kubectl.json<{ spec: object }>("get", "crontab", "tab");
      expect(spec).toEqual({ cronSpec: "0 * * * *", more: { anything: { goes: 1 } }, replicas: 3 });
      await expect(kubectl("patch", "ct", "tab", "--type=merge", "-p", '{"spec":{"replicas":-1}}')).rejects.toThrow(
        "spec.replicas in body should be greater than or equal to 0",
      );
      expect(await kubectl("describe", "ct", "tab")).toContain("Cron Spec:");
      expect(await kubectl("delete", "ct", "tab")).toContain("deleted");
    });

    test("they go with their definition", async () => {
      await kubectl("apply", "-f", file("tab.yaml", object("0 * * * *")));
      expect(await kubectl("delete", "crd", "crontabs.stable.example.com")).toContain("deleted");
      await poll({ what: "the resource to be gone", timeoutMs: 60_000 }, async () => {
        const names = await kubectl("api-resources", "--api-group=stable.example.com", "--no-headers");
        return names.trim() === "" ? true : undefined;
      });
    });
  });
}
