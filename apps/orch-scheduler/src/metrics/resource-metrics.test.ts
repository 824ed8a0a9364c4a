import { systemEventLoop } from "@orchernetes/kernel";
import { type PodBuilder, pod } from "@orchernetes/testkit";
import { expect, test } from "vitest";
import { slimPod } from "../cache/slim-pod.ts";
import { resourcePage } from "./resource-metrics.ts";

async function page(...pods: readonly PodBuilder[]): Promise<readonly string[]> {
  let text = "";
  for await (const part of resourcePage(
    pods.map((one) => slimPod(one.build())),
    systemEventLoop,
  ))
    text += part;
  return text.split("\n").filter((line) => line !== "");
}

test("there is a line for each resource of each pod that has not ended", async () => {
  const resources = { requests: { cpu: "250m", memory: "1Gi", "example.com/gpu": "2" }, limits: { cpu: "1500m" } };
  const containers = [{ name: "c", image: "i", resources }];
  const lines = await page(
    pod("p").on("n").priority(7).spec({ containers, schedulerName: 'a"b' }),
    pod("waiting").requests({ cpu: "1", memory: "0" }),
    pod("ended").on("n").requests({ cpu: "1" }).phase("Succeeded"),
  );
  const labels = 'namespace="default",pod="p",node="n",scheduler="a\\"b",priority="7"';
  expect(lines.filter((line) => !line.startsWith("# HELP"))).toEqual([
    "# TYPE orch_pod_resource_limit gauge",
    `orch_pod_resource_limit{${labels},resource="cpu",unit="cores"} 1.5`,
    "# TYPE orch_pod_resource_request gauge",
    `orch_pod_resource_request{${labels},resource="cpu",unit="cores"} 0.25`,
    `orch_pod_resource_request{${labels},resource="memory",unit="bytes"} 1073741824`,
    `orch_pod_resource_request{${labels},resource="example.com/gpu",unit="integer"} 2`,
    expect.stringMatching(/^orch_pod_resource_request\{.*pod="waiting",node="".*resource="cpu",unit="cores"\} 1$/),
  ]);
});

test("without pods the page is empty", async () => {
  expect(await page()).toEqual([]);
});
